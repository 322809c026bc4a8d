import Dispatch
import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// Writes of large values that a conflict or a condition rejects: they leave nothing in the value file, and none is
/// rejected for a state that no reader can see.
struct RejectedValueTests {
    private static let large = [UInt8](repeating: 7, count: 20_000)

    /// A store with one large value.
    private static func open(
        _ disk: FaultInjectingFileSystem = FaultInjectingFileSystem(),
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> KeyValueStore {
        var configuration = StoreFixture.small()
        configuration.valueFileBytes = 16 << 20
        configuration.automaticCompaction = false
        change(&configuration)
        let store = try StoreFixture(disk).open(configuration)
        try store.put("first".utf8, large)
        return store
    }

    @Test("transactions that conflict leave no values in the value file", .comesToAnEnd)
    func conflicts() throws {
        let store = try Self.open()
        let before = store.statistics.valueFileBytes
        for number in 0..<10 {
            let transaction = store.begin()
            _ = try transaction.get("read".utf8)
            try transaction.put("large".utf8, Self.large)
            try store.put("read".utf8, [UInt8(number)])
            #expect(StoreError.Code.of { try transaction.commit() } == .conflict)
        }
        #expect(store.statistics.valueFileBytes == before)
        #expect(try store.get("large".utf8) == nil)
        try store.transaction { try $0.put("large".utf8, Self.large) }
        #expect(store.statistics.valueFileBytes == before + ValueRecord.size(key: 5, value: Self.large.count))
        #expect(try store.get("first".utf8) == Self.large && store.get("large".utf8) == Self.large)
        #expect(try store.verify().problems.isEmpty)
        try store.close()
    }

    @Test("a transaction whose check is repeated after a flush has its values in the value file once", .comesToAnEnd)
    func repeatedCheck() throws {
        let store = try Self.open()
        let before = store.statistics.valueFileBytes
        let transaction = store.begin()
        _ = try transaction.get("read".utf8)
        try transaction.put("large".utf8, Self.large)
        try store.put("other".utf8, [1])
        try store.flush()
        try transaction.commit()
        #expect(store.statistics.valueFileBytes == before + ValueRecord.size(key: 5, value: Self.large.count))
        #expect(try store.get("large".utf8) == Self.large)
        #expect(try store.verify().problems.isEmpty)
        try store.close()
    }

    @Test(
        "a condition that holds before the value is written and not afterwards leaves no value in the value file",
        .comesToAnEnd)
    func condition() throws {
        let disk = FaultInjectingFileSystem()
        let store = try Self.open(disk)
        try store.put("key".utf8, [1])
        let before = store.statistics.valueFileBytes
        let writes = Counter()
        disk.setRule { call in
            guard call.operation == .write, call.path.hasSuffix(".values"), writes.next() == 0 else { return nil }
            // On a thread of its own, because this one holds locks.
            let group = DispatchGroup()
            Thread.detachNewThread(in: group) {
                do { try store.delete("key".utf8) } catch { Issue.record(error) }
            }
            group.wait()
            return nil
        }
        #expect(try !store.replace("key".utf8, Self.large))
        disk.setRule(.none)
        #expect(writes.value > 0)
        #expect(try store.get("key".utf8) == nil)
        #expect(store.statistics.valueFileBytes == before)
        #expect(try store.verify().problems.isEmpty)
        try store.close()
    }

    @Test("a condition of a large value does not fail for a state in the middle of a batch", .comesToAnEnd)
    func middleOfBatch() throws {
        let disk = FaultInjectingFileSystem()
        let store = try Self.open(disk) {
            $0.access = .read
            $0.cacheBytes = 0
        }
        try store.put("key".utf8, [1])
        try store.flush()
        // A batch that deletes all keys and puts one of them again. Its first change is in the memtable.
        let writes = store.engine.writes
        let last = writes.lastSequence
        writes.lock.withLock {
            withContiguousBytes(Array("a".utf8), Array("z".utf8)) { start, end in
                writes.state.active.table.insertRangeTombstone(start: start, end: end, sequence: last + 1)
            }
        }
        // Its second change arrives while the condition is evaluated.
        let reads = Counter()
        disk.setRule { call in
            guard call.operation == .read, call.path.hasSuffix(".segment"), reads.next() == 0 else { return nil }
            writes.lock.withLock {
                withContiguousBytes(Array("key".utf8), [2]) { key, value in
                    writes.state.active.table.insert(key: key, value: value, sequence: last + 2, kind: .value)
                }
                writes.state.lastSequence = last + 2
                writes.reads.makeVisible(last + 2)
            }
            return nil
        }
        #expect(try store.replace("key".utf8, Self.large))
        disk.setRule(.none)
        #expect(reads.value > 0)
        #expect(try store.get("key".utf8) == Self.large)
        try store.close()
    }

    @Test(
        "a value file that becomes shorter while it is verified, because a write is rejected, is not damaged",
        .comesToAnEnd)
    func verification() throws {
        let disk = FaultInjectingFileSystem()
        let store = try Self.open(disk)
        let values = store.engine.values
        let file = try #require(values.current)
        let end = file.size
        // As in the middle of a write, nothing refers to it.
        try values.append("large", count: 2 << 20)
        let reads = Counter()
        disk.setRule { call in
            let isScan = call.operation == .read && call.path.hasSuffix(".values") && call.length >= 1 << 20
            guard isScan, reads.next() == 0 else { return nil }
            do { try values.withLock { file.rollBack(to: end) } } catch { Issue.record(error) }
            return nil
        }
        #expect(try store.verify().problems.isEmpty)
        disk.setRule(.none)
        #expect(reads.value == 1 && file.size == end)
        #expect(try store.verify().problems.isEmpty)
        #expect(try store.get("first".utf8) == Self.large)
        try store.close()
    }
}
