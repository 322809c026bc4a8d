import Dispatch
import SiltstoneTesting
import Synchronization
import Testing

@testable import Siltstone

struct AsyncTests {
    @Test(
        "ten thousand tasks insert at once while no sync is made: none holds another up, and a few syncs do for all",
        .comesToAnEnd)
    func manyTasks() async throws {
        let fixture = try StoreFixture(onDisk: ())
        var configuration = StoreFixture.small()
        configuration.durability = .synced
        configuration.memTableBytes = 1 << 20
        let store = try fixture.open(configuration)
        let count = 10_000
        // On a quick disk each sync would be over before twenty had come: the queue that leads for tasks is held until all
        // have. None of them may be held up by that.
        let commits = try #require(store.engine.writes.commits)
        commits.queue.async {
            // However long that takes: other tests keep the threads of the pool busy.
            Polling.wait { store.engine.reads.visible >= count }
        }
        let inserted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask { try await store.insert(key(number), [UInt8](repeating: 1, count: 100)) }
            }
            var inserted = 0
            for try await isNew in group where isNew { inserted += 1 }
            return inserted
        }
        #expect(inserted == count)
        let statistics = store.statistics
        #expect(statistics.syncRequests <= count)
        #expect(statistics.syncs <= 20)
        #expect(try store.allEntries().count == count)
        try await store.close()
        let again = try await KeyValueStore.open(at: fixture.path)
        #expect(try again.allEntries().count == count)
        try await again.close()
    }

    @Test("every asynchronous call does what its twin does", .comesToAnEnd)
    func twins() async throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        let (a, b) = (Array("a".utf8), Array("b".utf8))
        let large = [UInt8](repeating: 3, count: 20_000)
        try await store.put(a, b)
        #expect(try await store.get(a) == b)
        try await store.put(b, large)
        #expect(try await store.get(b) == large)
        #expect(try await store.insert(a, b) == false)
        #expect(try await store.replace(a, a))
        #expect(try await store.compareAndSet(a, expected: a, new: b))
        #expect(try await store.remove(a))
        #expect(try await store.get(a) == nil)
        try await store.delete(b)
        var batch = WriteBatch()
        for number in 0..<3000 { batch.put(key(number), large.prefix(50)) }
        batch.put("large".utf8, large)
        try await store.write(batch)
        try await store.deleteRange(from: key(0), to: key(1000))
        try await store.sync()
        try await store.flush()
        try await store.compact()
        #expect(try await store.verify().problems.isEmpty)
        try await store.checkpoint(to: "/checkpoint")
        #expect(try store.allEntries().count == 2001)
        try await store.close()
    }

    @Test("a conditional write in a task reads from the disk on another thread", .comesToAnEnd)
    func conditions() async throws {
        let disk = FaultInjectingFileSystem()
        var configuration = StoreFixture.small()
        configuration.access = .read
        configuration.cacheBytes = 0
        configuration.largeValueBytes = 1000
        let store = try StoreFixture(disk).open(configuration)
        let (large, small) = ([UInt8](repeating: 3, count: 2000), [UInt8](repeating: 4, count: 10))
        for number in 0..<100 { try await store.put(key(number), number == 50 ? large : small) }
        try await store.flush()
        let (inTasks, elsewhere) = (Counter(), Counter())
        disk.setRule { call in
            guard call.operation == .read else { return nil }
            _ = withUnsafeCurrentTask { $0 == nil } ? elsewhere.next() : inTasks.next()
            return nil
        }
        #expect(try await !store.insert(key(1), small))
        #expect(try await store.replace(key(2), small))
        #expect(try await store.remove(key(3)))
        #expect(try await store.compareAndSet(key(50), expected: large, new: small))
        #expect(try await !store.compareAndSet(key(5), expected: large, new: small))
        #expect(inTasks.value == 0 && elsewhere.value >= 5)
        disk.setRule(.none)
        try await store.close()
    }

    @Test("a conditional write that must not wait reads nothing from the disk under the write lock", .comesToAnEnd)
    func conditionUnderLock() throws {
        let disk = FaultInjectingFileSystem()
        var configuration = StoreFixture.small()
        configuration.access = .read
        configuration.cacheBytes = 0
        configuration.automaticCompaction = false
        let store = try StoreFixture(disk).open(configuration)
        try store.put(key(1), [1])
        try store.flush()
        // While the condition is evaluated, before the lock is taken, the result becomes outdated.
        let reads = Counter()
        disk.setRule { call in
            guard call.operation == .read, call.path.hasSuffix(".segment"), reads.next() == 0 else { return nil }
            do {
                try store.put(key(1), [2])
                try store.flush()
            } catch { Issue.record(error) }
            return nil
        }
        let writes = store.engine.writes
        func replace(_ waits: WritePath.WaitPolicy) throws(StoreError) -> SequenceNumber? {
            try withContiguousBytes(key(1), [3]) { key, value throws(StoreError) in
                try writes.append(
                    .value, key, value, userBytes: key.count + value.count, waits, .present, valueFile: nil)
            }
        }
        #expect(try replace(.never) == nil)
        disk.setRule(.none)
        #expect(reads.value > 0)
        #expect(try store.get(key(1)) == [2])
        #expect(try replace(.forCompaction) == 3)
        #expect(try store.get(key(1)) == [3])
        try store.close()
    }

    @Test("whether a key has a large value is told in a task without a read of the value", .comesToAnEnd)
    func containsLargeValue() async throws {
        let disk = FaultInjectingFileSystem()
        var configuration = StoreFixture.small()
        configuration.access = .read
        configuration.cacheBytes = 0
        let store = try StoreFixture(disk).open(configuration)
        try await store.put(key(1), [UInt8](repeating: 3, count: 20_000))
        try await store.flush()
        let (snapshot, transaction) = (store.snapshot(), store.begin())
        disk.setRule { $0.operation == .read && $0.path.hasSuffix(".values") ? .inputOutput : nil }
        #expect(try await store.contains(key(1)))
        #expect(try await !store.contains(key(2)))
        #expect(try await snapshot.contains(key(1)))
        #expect(try await transaction.contains(key(1)))
        disk.setRule(.none)
        transaction.rollback()
        snapshot.release()
        try await store.close()
    }

    @Test(
        "a read of a snapshot that is released before the read goes on in another thread throws", .comesToAnEnd,
        arguments: 0..<3)
    func releasedMeanwhile(_ way: Int) async throws {
        let fileSystem = RecordingFileSystem()
        var configuration = StoreFixture.small()
        // No memory is left for files.
        configuration.availableMemory = { 0 }
        let store = try StoreFixture(fileSystem).open(configuration)
        try await store.put(key(1), [1])
        try await store.flush()
        let snapshot = store.snapshot()
        try await store.put(key(1), [2])
        try await store.flush()
        let pages = fileSystem.pages
        pages.arePresent.store(false, ordering: .relaxed)
        // When the read finds that it would wait, the value that it should find goes.
        pages.atNextLook.withLock {
            $0 = {
                snapshot.release()
                do { try store.compact() } catch { Issue.record(error) }
            }
        }
        var code: StoreError.Code?
        do {
            switch way {
            case 0: _ = try await snapshot.get(key(1))
            case 1: _ = try await snapshot.contains(key(1))
            default: _ = try await snapshot.get(all: [key(1)])
            }
        } catch { code = error.code }
        #expect(code == .closed)
        #expect(try await store.get(key(1)) == [2])
        try await store.close()
    }

    @Test("tasks that write past many memtables all come to an end", .comesToAnEnd)
    func backpressure() async throws {
        let store = try StoreFixture().open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    for number in 0..<200 {
                        try await store.put(key(task * 1000 + number), [UInt8](repeating: 1, count: 200))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.allEntries().count == 64 * 200)
        try await store.close()
    }
}
