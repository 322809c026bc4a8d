import SiltstoneTesting
import Testing

@testable import Siltstone

/// Disks that are full or broken: errors come out, nothing traps or hangs, and nothing acknowledged is lost.
struct FaultTests {
    private static func configuration(_ writing: LogWriting) -> Configuration {
        var configuration = StoreFixture.small()
        configuration.durability = .synced
        configuration.logWriting = writing
        configuration.largeValueBytes = 2000
        return configuration
    }

    @Test(
        "a full disk is an error that goes away with its reason, without opening again", .comesToAnEnd,
        arguments: LogWriting.allCases)
    func diskFull(_ writing: LogWriting) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try fixture.open(Self.configuration(writing))
        try store.put("before".utf8, "value".utf8)
        for round in 0..<3 {
            try store.put("in memory".utf8, [UInt8(round)])
            let growing: Set<FileSystemCall.Operation> = [.write, .reserve, .create]
            disk.setRule { growing.contains($0.operation) ? .noSpace : nil }
            var failures = 0
            for number in 0..<3000 where failures < 20 {
                do { try store.put(key(round * 10_000 + number), [UInt8](repeating: 1, count: 500)) } catch {
                    #expect(error.code == .noSpace)
                    failures += 1
                }
            }
            #expect(failures == 20)
            #expect(StoreError.Code.of { try store.flush() } == .noSpace)
            #expect(try store.get("before".utf8) == Array("value".utf8))
            disk.setRule(.none)
            try store.put("after".utf8, [UInt8](repeating: 1, count: 3000))
            for number in 0..<300 { try store.put(key(number), [UInt8](repeating: 2, count: 500)) }
            try store.flush()
            try waitUntil("background work goes well again") { store.statistics.backgroundError == nil }
        }
        #expect(try store.verify().problems.isEmpty)
        let entries = try store.allEntries()
        try store.close()
        #expect(try fixture.open().allEntries() == entries)
    }

    private static func withLargeMemTable(_ writing: LogWriting) -> Configuration {
        var configuration = configuration(writing)
        configuration.memTableBytes = 1 << 20
        return configuration
    }

    @Test(
        "changes of every kind are refused at once on a full disk, whatever a flush under way will free", .comesToAnEnd)
    func refusedAtOnce() async throws {
        let disk = FaultInjectingFileSystem()
        let store = try StoreFixture(disk).open(Self.configuration(.written))
        // The flush goes on only once all changes were refused.
        let (isFull, isRefused) = (Locked(false), Locked(false))
        disk.setRule { call in
            if call.operation == .create, call.path.hasSuffix(".segment") {
                while !isRefused.withLock({ $0 }) { Platform.sleep(microseconds: 1_000) }
            }
            return call.operation == .write && isFull.withLock { $0 } ? .noSpace : nil
        }
        try await OwnThread.run {
            var number = 100
            while store.engine.writes.lock.withLock({ store.engine.writes.state.sealed.isEmpty }) {
                try store.put(key(number), [UInt8](repeating: 1, count: 500), durability: .buffered)
                number += 1
            }
        }
        let changes: [@Sendable () async throws -> Void] = [
            { try await OwnThread.run { try store.put(key(1), [1]) } },
            { try await store.put(key(2), [2]) },
            { try await store.deleteRange(from: key(4), to: key(5)) },
            { try await OwnThread.run { try store.put(key(6), [UInt8](repeating: 6, count: 3_000)) } },
        ]
        isFull.withLock { $0 = true }
        for change in changes {
            do {
                try await change()
                Issue.record("a change is made on a full disk")
            } catch let error as StoreError { #expect(error.code == .noSpace) }
        }
        isFull.withLock { $0 = false }
        isRefused.withLock { $0 = true }
        for change in changes { try await change() }
        let report = try await store.verify()
        #expect(report.problems.isEmpty)
        try await store.close()
    }

    /// A store whose memtable is half full, and the next log is there.
    private static func storeWithNextLog(_ fixture: StoreFixture, _ writing: LogWriting) throws -> KeyValueStore {
        let store = try fixture.open(withLargeMemTable(writing))
        for number in 0..<600 { try store.put(key(number), [UInt8](repeating: 1, count: 1_000)) }
        // Not only its name, which comes before the space that it takes.
        let engine = store.engine
        try waitUntil("there is a next log") { engine.writes.lock.withLock { engine.writes.state.nextLog != nil } }
        return store
    }

    @Test(
        "a full disk gets back the space that logs hold ahead of their ends: for a segment, or for a log that must grow",
        .comesToAnEnd,
        arguments: LogWriting.allCases, [".segment", ".log"])
    func spaceAhead(_ writing: LogWriting, neededFor suffix: String) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try Self.storeWithNextLog(fixture, writing)
        let isCut = Locked(false)
        disk.setRule { call in
            switch call.operation {
            case .truncate where call.path.hasSuffix(".log"):
                isCut.withLock { $0 = true }
                return nil
            case .write where suffix == ".log": return nil
            case .reserve, .write: return call.path.hasSuffix(suffix) && !isCut.withLock { $0 } ? .noSpace : nil
            default: return nil
            }
        }
        if suffix == ".segment" { try store.flush() }
        for number in 0..<900 {
            // A refused put lets the store look for space.
            try waitUntil("there is space") {
                StoreError.Code.of { try store.put(key(number), [UInt8](repeating: 2, count: 1_000)) } == nil
            }
        }
        #expect(isCut.withLock { $0 })
        disk.setRule(.none)
        let entries = try store.allEntries()
        #expect(entries.count == 900 && entries.allSatisfy { $0.value == [UInt8](repeating: 2, count: 1_000) })
        try store.close()
        #expect(try fixture.open().allEntries() == entries)
    }

    @Test(
        "a disk that stays full when logs have given back what they held is an error that goes away with its reason, too",
        .comesToAnEnd,
        arguments: LogWriting.allCases)
    func stillFull(_ writing: LogWriting) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try Self.storeWithNextLog(fixture, writing)
        let isCut = Locked(false)
        disk.setRule { call in
            if call.operation == .truncate { isCut.withLock { $0 = true } }
            return [.reserve, .write].contains(call.operation) && call.path.hasSuffix(".log") ? .noSpace : nil
        }
        var code: StoreError.Code?
        for number in 0..<400 where code == nil {
            code = StoreError.Code.of { try store.put(key(number), [UInt8](repeating: 2, count: 1_000)) }
        }
        #expect(code == .noSpace)
        try waitUntil("logs give back what they hold") { isCut.withLock { $0 } }
        disk.setRule(.none)
        try store.put(key(0), [3])
        try store.close()
        #expect(try fixture.open(Self.withLargeMemTable(writing)).get(key(0)) == [3])
    }

    @Test(
        "after a failed sync the store refuses writes, tells why, and goes on reading; opened again it is well",
        .comesToAnEnd,
        arguments: LogWriting.allCases)
    func failedSync(_ writing: LogWriting) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try fixture.open(Self.configuration(writing))
        try store.put("before".utf8, "value".utf8)
        disk.setRule { $0.operation == .sync && $0.path.hasSuffix(".log") ? .inputOutput : nil }
        #expect(StoreError.Code.of { try store.put("lost".utf8, "value".utf8) } == .inputOutput)
        disk.setRule(.none)
        #expect(StoreError.Code.of { try store.put("later".utf8, "value".utf8) } == .refusesWrites)
        #expect(StoreError.Code.of { try store.put("later".utf8, "v".utf8, durability: .buffered) } == .refusesWrites)
        #expect(StoreError.Code.of { try store.sync() } == .refusesWrites)
        #expect(StoreError.Code.of { try store.flush() } == .refusesWrites)
        #expect(try store.get("before".utf8) == Array("value".utf8))
        #expect(try store.scan().next() != nil)
        try store.close()
        let again = try fixture.open(Self.configuration(writing))
        #expect(try again.get("before".utf8) == Array("value".utf8))
        #expect(try again.get("later".utf8) == nil)
        try again.put("later".utf8, "value".utf8)
        try again.close()
    }

    @Test(
        "a sync that finds the disk full does not claim to have changed nothing", .comesToAnEnd,
        arguments: [".log", ".values"])
    func fullAtSync(_ suffix: String) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try fixture.open(Self.configuration(.mapped))
        try store.put(key(1), [UInt8](repeating: 1, count: 3000))
        disk.setRule { $0.operation == .sync && $0.path.hasSuffix(suffix) ? .noSpace : nil }
        #expect(StoreError.Code.of { try store.put(key(2), [UInt8](repeating: 2, count: 3000)) } == .inputOutput)
        disk.setRule(.none)
        #expect(StoreError.Code.of { try store.put(key(3), [3]) } == .refusesWrites)
        try store.close()
    }

    @Test(
        "asking for a sync of a full disk is told that nobody knows what it holds", .comesToAnEnd,
        arguments: [".log", ".values"])
    func fullAtRequestedSync(_ suffix: String) throws {
        let disk = FaultInjectingFileSystem()
        let store = try StoreFixture(disk).open(Self.configuration(.mapped))
        try store.put(key(1), [UInt8](repeating: 1, count: 3000), durability: .buffered)
        disk.setRule { $0.operation == .sync && $0.path.hasSuffix(suffix) ? .noSpace : nil }
        #expect(StoreError.Code.of { try store.sync() } == .inputOutput)
        disk.setRule(.none)
        #expect(StoreError.Code.of { try store.sync() } == .refusesWrites)
        try store.close()
    }

    @Test(
        "a failed sync of values is not tried again, whoever makes it", .comesToAnEnd,
        arguments: ["flush", "compact", "checkpoint"])
    func failedValueSync(_ by: String) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        var configuration = Self.configuration(.mapped)
        configuration.durability = .buffered
        let store = try fixture.open(configuration)
        func work() throws {
            switch by {
            case "flush": try store.flush()
            case "compact": try store.compact()
            default: try store.checkpoint(to: "/checkpoint")
            }
        }
        try store.put(key(1), [UInt8](repeating: 1, count: 3000))
        disk.setRule { $0.operation == .sync && $0.path.hasSuffix(".values") ? .inputOutput : nil }
        // Whoever waits for the flush may be told of the failure itself or of what it led to.
        let told: [StoreError.Code?] = [.inputOutput, .refusesWrites]
        #expect(told.contains(StoreError.Code.of { try work() }))
        disk.setRule(.none)
        #expect(StoreError.Code.of { try work() } == .refusesWrites)
        #expect(StoreError.Code.of { try store.put(key(2), [2]) } == .refusesWrites)
        #expect(try store.get(key(1))?.count == 3000)
        try store.close()
    }

    @Test("a flush that fails is tried again, and all that is in memory stays readable", .comesToAnEnd)
    func failedFlush() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try fixture.open()
        for number in 0..<100 { try store.put(key(number), [1]) }
        disk.setRule { $0.path.hasSuffix(".segment") ? .inputOutput : nil }
        #expect(StoreError.Code.of { try store.flush() } == .inputOutput)
        #expect(store.statistics.backgroundError != nil)
        #expect(try store.allEntries().count == 100)
        try store.put(key(100), [1])
        #expect(StoreError.Code.of { try store.flush() } == .inputOutput)
        disk.setRule(.none)
        try store.flush()
        #expect(store.statistics.backgroundError == nil)
        #expect(try store.allEntries().count == 101)
        #expect(try fixture.names(ending: ".segment").count == store.statistics.levels.reduce(0) { $0 + $1.segments })
        try store.close()
    }

    @Test("a compaction that fails changes nothing and leaves nothing behind", .comesToAnEnd)
    func failedCompaction() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        let store = try fixture.open(configuration)
        for round in 0..<3 {
            for number in 0..<1000 { try store.put(key(number), [UInt8](repeating: UInt8(round), count: 50)) }
            try store.flush()
        }
        let before = try fixture.names(ending: ".segment")
        for operation in [FileSystemCall.Operation.create, .write, .sync, .map] {
            disk.setRule {
                $0.path.hasSuffix(".segment") && $0.operation == operation ? .inputOutput : nil
            }
            #expect(StoreError.Code.of { try store.compact() } == .inputOutput)
            #expect(try fixture.names(ending: ".segment") == before)
        }
        disk.setRule(.none)
        try store.compact()
        #expect(try store.allEntries().count == 1000)
        try store.close()
    }
}
