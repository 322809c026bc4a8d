import SiltstoneTesting
import Synchronization
import Testing

@testable import Siltstone

/// A recovery that is itself cut short, at each of its steps, leaves a store that the next one recovers.
struct RecoveryInterruptionTests {
    /// Calls that change files, counted; from a certain one on all of them fail, as if nothing came after it.
    private final class Interruption: Sendable {
        private static let changing: Set<FileSystemCall.Operation> = [
            .create, .createDirectory, .rename, .link, .remove, .syncDirectory, .write, .reserve, .truncate, .sync,
        ]
        private let count = Atomic<Int>(0)
        private let limit: Int

        init(after limit: Int) { self.limit = limit }

        func rule(_ call: FileSystemCall) -> Fault? {
            guard Self.changing.contains(call.operation) else { return nil }
            return count.wrappingAdd(1, ordering: .relaxed).oldValue < limit ? nil : .error(5)
        }
    }

    private static func key(_ number: Int) -> [UInt8] {
        let digits = String(number)
        return Array((String(repeating: "0", count: 5 - digits.count) + digits).utf8)
    }

    /// The files of a store with several logs in use, the first of which has lost its end; and how many changes precede
    /// that end at most.
    private func tornStore() throws -> (files: [String: [UInt8]], writes: Int) {
        let disk = FaultInjectingFileSystem()
        // Without segments the logs pile up.
        disk.setRule { $0.path.hasSuffix(".segment") && $0.operation == .write ? .error(28) : nil }
        let fixture = StoreFixture(disk)
        var writes = 0
        var configuration = StoreFixture.small()
        configuration.logWriting = .written
        do {
            let store = try fixture.open(configuration)
            // Until the store takes no more, as nothing can be flushed.
            do throws(StoreError) {
                while true {
                    try store.put(Self.key(writes), [UInt8](repeating: UInt8(truncatingIfNeeded: writes), count: 1_000))
                    writes += 1
                }
            } catch { try #require(error.code == .noSpace) }
            try #require(try fixture.names(ending: ".log").count > 1)
        }
        var files = try files(of: fixture)
        let first = try #require(files.keys.filter { $0.hasSuffix(".log") }.min())
        // Space that was reserved for more is zeros.
        let used = try #require(files[first]?.lastIndex { $0 != 0 })
        files[first]?.removeSubrange((used - 2_500)...)
        return (files, writes)
    }

    /// The files of a store that was dropped without being closed.
    private func files(of fixture: StoreFixture) throws -> [String: [UInt8]] {
        var configuration = StoreFixture.small()
        configuration.readOnly = true
        try fixture.openWhenFree(configuration).close()
        var files: [String: [UInt8]] = [:]
        for name in try fixture.names() where name != "LOCK" { files[name] = try fixture.read(name) }
        return files
    }

    private func disk(holding files: [String: [UInt8]]) throws -> FaultInjectingFileSystem {
        let disk = FaultInjectingFileSystem()
        try disk.createDirectory("/store")
        let fixture = StoreFixture(disk)
        for (name, bytes) in files { try fixture.write(bytes, to: name) }
        return disk
    }

    /// The numbers of the keys in a store, which must be those before the first that is missing.
    private func count(_ store: KeyValueStore) throws -> Int {
        var count = 0
        let cursor = try store.scan()
        while let entry = try cursor.next() {
            try #require(entry.key == Self.key(count))
            count += 1
        }
        return count
    }

    @Test("a torn log with others behind it: every step of cutting it can be the last", .comesToAnEnd)
    func tornLogs() throws {
        let (files, writes) = try tornStore()
        let count = try recover(files)
        #expect(count > 0 && count < writes)
    }

    @Test("logs that have lost all their frames: every step of making a new one can be the last", .comesToAnEnd)
    func emptyLogs() throws {
        let fixture = StoreFixture()
        do {
            let store = try fixture.open()
            for number in 0..<20 { try store.put(Self.key(number), [1]) }
            try store.flush()
        }
        var files = try files(of: fixture)
        for name in files.keys where name.hasSuffix(".log") { files[name] = files[name].map { Array($0.prefix(64)) } }
        #expect(try recover(files) == 20)
    }

    /// Recovers a store again and again, each time letting one step more happen before the first recovery ends.
    /// - Returns: how many changes are left, which must be the same each time.
    private func recover(_ files: [String: [UInt8]]) throws -> Int {
        var counts: Set<Int> = []
        var configuration = StoreFixture.small()
        configuration.logWriting = .written
        for steps in 0..<500 {
            let disk = try disk(holding: files)
            let interruption = Interruption(after: steps)
            disk.setRule { interruption.rule($0) }
            let fixture = StoreFixture(disk)
            let isInterrupted: Bool
            do {
                _ = try fixture.open(configuration)
                isInterrupted = false
            } catch { isInterrupted = true }
            disk.setRule(.none)
            let store = try fixture.openWhenFree(configuration)
            let count = try count(store)
            counts.insert(count)
            try store.put(Self.key(count), [1])
            try store.close()
            let again = try fixture.open(configuration)
            #expect(try self.count(again) == count + 1, "after \(steps) steps, what was written then is there")
            try again.close()
            if !isInterrupted { break }
        }
        try #require(counts.count == 1)
        return try #require(counts.first)
    }
}
