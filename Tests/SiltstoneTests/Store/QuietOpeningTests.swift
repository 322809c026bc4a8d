import SiltstoneTesting
import Testing

@testable import Siltstone

/// Stores that were closed in good order are opened without a write; whatever is promised later is promised all the same.
struct QuietOpeningTests {
    private static let store = "/data/store"

    private func open(_ path: String = Self.store, on disk: SimulatedFileSystem) throws(StoreError) -> KeyValueStore {
        try StoreFixture(disk, path: path).open()
    }

    /// A disk with a closed store that has a segment, a value file and a log that holds something.
    private func diskWithStore() throws -> SimulatedFileSystem {
        let disk = SimulatedFileSystem()
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        let store = try open(on: disk)
        for number in 0..<200 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        try store.put("large".utf8, [UInt8](repeating: 2, count: 20_000))
        try store.flush()
        try store.put("in the log".utf8, [3])
        try store.put("large, in the log".utf8, [UInt8](repeating: 5, count: 20_000))
        try store.close()
        return disk
    }

    @Test(
        "a store that was closed in good order is opened, read and closed without a call that changes the disk or waits for it"
    )
    func quiet() throws {
        let disk = try diskWithStore()
        let calls = Locked<[String]>([])
        disk.observe { call in calls.withLock { $0.append("\(call.operation) \(call.path)") } }
        for _ in 0..<3 {
            let store = try open(on: disk)
            #expect(try store.allEntries().count == 203)
            #expect(try store.get("large".utf8)?.count == 20_000)
            try store.close()
        }
        disk.observe(nil)
        #expect(calls.withLock { $0 }.filter { !$0.hasPrefix("lock ") } == [])
    }

    @Test("the next log that a store has prepared does not make its next opening write")
    func preparedLog() throws {
        let disk = SimulatedFileSystem()
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        let store = try open(on: disk)
        for number in 0..<100 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        let engine = store.engine
        store.settle()
        #expect(engine.writes.lock.withLock { engine.writes.state.nextLog != nil })
        try store.close()
        #expect(try disk.entries(of: Self.store).count { $0.hasSuffix(".log") } == 1)
        let calls = Locked<[String]>([])
        disk.observe { call in calls.withLock { $0.append("\(call.operation) \(call.path)") } }
        let again = try open(on: disk)
        #expect(try again.allEntries().count == 100)
        try again.close()
        disk.observe(nil)
        #expect(calls.withLock { $0 }.filter { !$0.hasPrefix("lock ") } == [])
    }

    @Test("what is written after such an opening is durable when a sync, or closing, has returned")
    func durable() throws {
        for isClosed in [false, true] {
            let disk = try diskWithStore()
            let store = try open(on: disk)
            try store.put("new".utf8, [4], durability: isClosed ? .buffered : .synced)
            if isClosed { try store.close() }
            for seed in 0..<20 {
                let left = try SimulatedFileSystem(disk.powerLoss(seed: UInt64(seed), survival: 0.2))
                let again = try open(on: left)
                #expect(try again.get("new".utf8) == [4], "seed \(seed)")
                #expect(try again.allEntries().count == 204)
            }
            try store.close()
        }
    }

    @Test(
        "the names of files that were copied without a sync of their directory are durable with the first synced write")
    func copied() throws {
        let disk = try diskWithStore()
        let copy = "/data/copy"
        try disk.createDirectory(copy)
        try disk.syncDirectory("/data")
        for name in try disk.entries(of: Self.store) where name != StoreFile.lock.name {
            let bytes = try disk.open(Self.store + "/" + name, .read).readAll()
            let file = try disk.open(copy + "/" + name, .createNew)
            try file.writeFully(bytes, at: 0)
            try file.syncFully()
            try file.close()
        }
        let store = try open(copy, on: disk)
        try store.put("new".utf8, [4], durability: .synced)
        for seed in 0..<20 {
            let left = try SimulatedFileSystem(disk.powerLoss(seed: UInt64(seed), survival: 0.2))
            let again = try open(copy, on: left)
            #expect(try again.get("new".utf8) == [4], "seed \(seed)")
            #expect(try again.allEntries().count == 204)
        }
        try store.close()
    }

    @Test("who comes too late to make durable what was found leaves the files alone, which may be another's by then")
    func tooLate() throws {
        let disk = try diskWithStore()
        let store = try open(on: disk)
        let engine = store.engine
        try store.close()
        let next = try open(on: disk)
        try next.put("new".utf8, [4])
        try next.flush()
        // As a call that has looked whether the store is open, and was held up until now.
        #expect(StoreError.Code.of { try engine.versions.makeRecoveryDurable() } == .closed)
        try next.close()
        let last = try open(on: disk)
        #expect(try last.get("new".utf8) == [4])
        #expect(try last.allEntries().count == 204)
        #expect(try last.verify().problems.isEmpty)
    }

    @Test("what is short when what was found is to be made durable is told, and the next call makes up for it")
    func shortage() throws {
        let disk = try diskWithStore()
        let files = FaultInjectingFileSystem(disk)
        let store = try StoreFixture(files, path: Self.store).open()
        files.setRule { $0.operation == .syncDirectory ? .tooManyFiles : nil }
        #expect(StoreError.Code.of { try store.put("new".utf8, [4]) } == .inputOutput)
        #expect(StoreError.Code.of { try store.sync() } == .inputOutput)
        #expect(try store.get("new".utf8) == nil)
        files.setRule(.none)
        try store.sync()
        try store.put("new".utf8, [4])
        #expect(try store.get("new".utf8) == [4])
        try store.close()
    }

    @Test("a sync of what was found that fails ends the writing, and not the reading")
    func failedSettling() throws {
        let disk = try diskWithStore()
        let store = try open(on: disk)
        disk.failSyncs { $0.hasSuffix(".manifest") || $0 == Self.store }
        #expect(StoreError.Code.of { try store.put("new".utf8, [4], durability: .synced) } == .inputOutput)
        #expect(StoreError.Code.of { try store.put("newer".utf8, [5]) } == .refusesWrites)
        #expect(try store.get("in the log".utf8) == [3])
        disk.failSyncs(where: nil)
        #expect(StoreError.Code.of { try store.put("newer".utf8, [5]) } == .refusesWrites)
        // Closing leaves all as it is; the next opening finds what is there.
        do { try store.close() } catch { #expect(error.code == .refusesWrites || error.code == .inputOutput) }
        #expect(try open(on: disk).get("in the log".utf8) == [3])
    }
}
