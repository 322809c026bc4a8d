import Dispatch
import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

struct ClosingTests {
    @Test("closing does not give the directory up while a large value is being written", .comesToAnEnd)
    func amidstLargeValue() throws {
        let disk = FaultInjectingFileSystem()
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 1000
        let store = try StoreFixture(disk).open(configuration)
        try store.put(key(1), [UInt8](repeating: 1, count: 2000))
        let group = DispatchGroup()
        let isClosed = Locked(false)
        let wasClosed = Locked<Bool?>(nil)
        disk.setRule { call in
            guard call.operation == .write, call.path.hasSuffix(".values") else { return nil }
            Thread.detachNewThread(in: group) {
                do { try store.close() } catch { Issue.record("\(error)") }
                isClosed.withLock { $0 = true }
            }
            // Time enough to close, were this not waited for.
            _ = group.wait(timeout: .now() + .milliseconds(300))
            wasClosed.withLock { $0 = isClosed.withLock { $0 } }
            return nil
        }
        // Whether it is still taken depends on how far the closing has come.
        let code = StoreError.Code.of { try store.put(key(2), [UInt8](repeating: 2, count: 2000)) }
        #expect(code == nil || code == .closed)
        group.wait()
        #expect(wasClosed.withLock { $0 } == false)
    }

    @Test(
        "the directory is not given up while a flushed log is being removed", .comesToAnEnd, arguments: [false, true])
    func amidstRemoval(_ isDropped: Bool) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        var store: KeyValueStore? = try fixture.open()
        let (isRemoved, wasRemoved) = (Locked(false), Locked<Bool?>(nil))
        disk.setRule { call in
            if call.operation == .unlock { wasRemoved.withLock { $0 = isRemoved.withLock { $0 } } }
            guard call.operation == .remove, call.path.hasSuffix(".log") else { return nil }
            // Time enough to close, were this not waited for.
            usleep(300_000)
            isRemoved.withLock { $0 = true }
            return nil
        }
        try store?.put(key(1), [1])
        try store?.flush()
        if !isDropped { try store?.close() }
        store = nil
        try waitUntil("the directory is given up") { wasRemoved.withLock { $0 } != nil }
        #expect(wasRemoved.withLock { $0 } == true)
    }

    @Test(
        "where the flush of closing fails, its changes are durable in their log all the same, and the error is told",
        .comesToAnEnd)
    func failedFlush() throws {
        let path = "/data/store"
        let disk = SimulatedFileSystem()
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        let files = FaultInjectingFileSystem(disk)
        var configuration = StoreFixture.small()
        configuration.memTableBytes = 1 << 20
        let store = try StoreFixture(files, path: path).open(configuration)
        for number in 0..<400 { try store.put(key(number), [UInt8](repeating: 1, count: 1000)) }
        files.setRule { $0.operation == .create && $0.path.hasSuffix(".segment") ? .tooManyFiles : nil }
        #expect(StoreError.Code.of { try store.close() } == .inputOutput)
        #expect(!files.faults.isEmpty)
        let left = try SimulatedFileSystem(disk.powerLoss(seed: 1, survival: 0))
        let again = try StoreFixture(left, path: path).open(configuration)
        #expect(try again.allEntries().count == 400)
        #expect(try again.verify().problems.isEmpty)
        try again.close()
    }

    @Test("closing on a full disk is no error where every change is durable", .comesToAnEnd)
    func fullDisk() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try fixture.open()
        try store.put(key(1), [1])
        let growing: Set<FileSystemCall.Operation> = [.write, .reserve, .create]
        disk.setRule { growing.contains($0.operation) ? .noSpace : nil }
        try store.close()
        #expect(disk.faults.contains { $0.call.path.hasSuffix(".manifest") })
        disk.setRule(.none)
        let again = try fixture.open()
        #expect(try again.get(key(1)) == [1])
        #expect(try again.verify().problems.isEmpty)
        try again.close()
    }

    @Test("every call on a closed store throws that it is closed", .comesToAnEnd)
    func closedStore() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.put("a".utf8, "b".utf8)
        let snapshot = store.snapshot()
        try store.close()
        try store.close()
        var batch = WriteBatch()
        batch.put("a".utf8, "b".utf8)
        let calls: [(String, () throws -> Void)] = [
            ("get", { _ = try store.get("a".utf8) }),
            ("withValue", { _ = try store.withValue("a".utf8) { _ in } }),
            ("contains", { _ = try store.contains("a".utf8) }),
            ("get all", { _ = try store.get(all: ["a".utf8]) }),
            ("put", { try store.put("a".utf8, "b".utf8) }),
            ("put large", { try store.put("a".utf8, [UInt8](repeating: 0, count: 10_000)) }),
            ("delete", { try store.delete("a".utf8) }),
            ("deleteRange", { try store.deleteRange(from: "a".utf8, to: "b".utf8) }),
            ("write", { try store.write(batch) }),
            ("write nothing", { try store.write(WriteBatch()) }),
            ("insert", { _ = try store.insert("a".utf8, "b".utf8) }),
            ("replace", { _ = try store.replace("a".utf8, "b".utf8) }),
            ("remove", { _ = try store.remove("a".utf8) }),
            ("compareAndSet", { _ = try store.compareAndSet("a".utf8, expected: nil, new: nil) }),
            ("a new snapshot", { _ = try store.snapshot().get("a".utf8) }),
            ("scan", { _ = try store.scan() }),
            ("scan prefix", { _ = try store.scan(prefix: "a".utf8) }),
            ("forEach", { try store.forEach { _, _ in true } }),
            ("flush", { try store.flush() }),
            ("compact", { try store.compact() }),
            ("sync", { try store.sync() }),
            ("verify", { _ = try store.verify() }),
            ("checkpoint", { try store.checkpoint(to: "/elsewhere") }),
            ("snapshot get", { _ = try snapshot.get("a".utf8) }),
            ("snapshot scan", { _ = try snapshot.scan() }),
        ]
        let before = try fixture.contents()
        for (name, call) in calls { #expect(StoreError.Code.of(call) == .closed, "\(name)") }
        #expect(try fixture.contents() == before)
    }

    @Test("asynchronous calls on a closed store throw that it is closed", .comesToAnEnd)
    func closedStoreAsynchronously() async throws {
        let store = try StoreFixture().open()
        try await store.close()
        try await store.close()
        await #expect { try await store.put("a".utf8, "b".utf8) } throws: { ($0 as? StoreError)?.code == .closed }
        await #expect { try await store.get("a".utf8) } throws: { ($0 as? StoreError)?.code == .closed }
        await #expect { try await store.flush() } throws: { ($0 as? StoreError)?.code == .closed }
        await #expect { try await store.sync() } throws: { ($0 as? StoreError)?.code == .closed }
    }

    @Test(
        "a close beside writers, readers and other closes ends all of them, and keeps what was acknowledged",
        .comesToAnEnd)
    func concurrently() throws {
        for round in 0..<8 {
            let fixture = StoreFixture()
            let store = try fixture.open()
            let group = DispatchGroup()
            let acknowledged = Locked([Int](repeating: -1, count: 3))
            for writer in 0..<3 {
                Thread.detachNewThread(in: group) {
                    for number in 0... {
                        do {
                            try store.put(key(writer * 1_000_000 + number), [UInt8](repeating: 1, count: 100))
                        } catch {
                            #expect((error as? StoreError)?.code == .closed)
                            return
                        }
                        acknowledged.withLock { $0[writer] = number }
                    }
                }
            }
            Thread.detachNewThread(in: group) {
                while StoreError.Code.of({ try store.scan(limit: 100).remaining() }) == nil {}
            }
            usleep(UInt32(round) * 3000)
            for _ in 0..<2 {
                Thread.detachNewThread(in: group) {
                    #expect(StoreError.Code.of { try store.close() } == nil)
                    // Whoever is back from close() finds the directory free.
                    #expect(StoreError.Code.of { try fixture.open().close() } != .corrupt)
                }
            }
            group.wait()
            let again = try fixture.openWhenFree()
            for (writer, last) in acknowledged.withLock({ $0 }).enumerated() where last >= 0 {
                for number in 0...last { #expect(try again.contains(key(writer * 1_000_000 + number))) }
            }
            try again.close()
        }
    }

    @Test("a store that is dropped while it flushes and compacts gives the lock up, and loses nothing", .comesToAnEnd)
    func dropped() throws {
        for _ in 0..<5 {
            let fixture = StoreFixture()
            do {
                let store = try fixture.open()
                for number in 0..<8000 { try store.put(key(number % 3000), [UInt8](repeating: 1, count: 100)) }
            }
            let again = try fixture.openWhenFree()
            #expect(try again.allEntries().count == 3000)
            #expect(try again.verify().problems.isEmpty)
            try again.close()
        }
    }

    @Test("a cursor that outlives its dropped store does not keep the lock", .comesToAnEnd)
    func cursorOutlivesStore() throws {
        let fixture = StoreFixture()
        let cursor: Cursor
        do {
            let store = try fixture.open()
            for number in 0..<100 { try store.put(key(number), [1]) }
            cursor = try store.scan()
            _ = try cursor.next()
        }
        let again = try fixture.openWhenFree()
        #expect(try cursor.remaining().count == 99)
        try again.close()
    }

    @Test("what a store held in memory is given back once it is gone", .comesToAnEnd)
    func noLeak() throws {
        weak var engine: Engine?
        weak var superVersion: SuperVersion?
        do {
            let store = try StoreFixture().open()
            for number in 0..<5000 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
            _ = try store.allEntries()
            engine = store.engine
            superVersion = store.engine.reads.superVersions.current()
            try store.close()
        }
        try waitUntil("the engine is gone") { engine == nil && superVersion == nil }
    }
}
