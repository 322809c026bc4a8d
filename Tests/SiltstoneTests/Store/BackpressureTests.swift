import Dispatch
import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// Writers never get further ahead of the disk than the documentation says.
struct BackpressureTests {
    @Test(
        "while no memtable can be flushed, writers stop before more than the limit wait, and go on when it is over",
        .comesToAnEnd,
        arguments: [1, 2, 4])
    func stalls(_ limit: Int) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        var configuration = StoreFixture.small()
        configuration.sealedMemTableLimit = limit
        let store = try fixture.open(configuration)
        let gate = Locked(false)
        disk.setRule(
            FaultRule { call in
                while call.operation == .create, call.path.hasSuffix(".segment"), !gate.withLock({ $0 }) { usleep(500) }
                return nil
            })
        let (written, count) = (Locked(0), 1_500)
        let writer = Writer {
            for number in 0..<count {
                try store.put(key(number), [UInt8](repeating: 1, count: 500), durability: .buffered)
                written.withLock { $0 += 1 }
            }
        }
        defer { gate.withLock { $0 = true } }
        func sealed() -> Int { store.engine.writes.lock.withLock { store.engine.writes.state.sealed.count } }
        try waitUntil("a memtable waits") { sealed() > 0 }
        // Long enough for many more puts, if they were let through.
        var before = -1
        while before != written.withLock({ $0 }) {
            before = written.withLock { $0 }
            usleep(100_000)
        }
        #expect(before < count && sealed() == limit)
        let bytes = (limit + 1) * (configuration.memTableBytes + 4_096)
        #expect(before * 500 <= bytes, "\(before) values are in memory")
        #expect(try fixture.names(ending: ".log").count <= limit + 2)
        gate.withLock { $0 = true }
        try writer.wait()
        #expect(store.statistics.stalls > 0)
        #expect(try store.allEntries().count == count)
        try store.close()
    }

    @Test(
        "while compactions do not keep up, writers are slowed down, and stopped at the greatest number of runs",
        .comesToAnEnd)
    func slowdowns() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try fixture.open()
        let isHeld = Locked(true)
        holdCompactions(of: store, on: disk) { isHeld.withLock { $0 } }
        defer { isHeld.withLock { $0 = false } }
        let (isStopping, written) = (Locked(false), Locked(0))
        let writer = Writer {
            while !isStopping.withLock({ $0 }) {
                let number = written.withLock { $0 }
                try store.put(key(number), [UInt8](repeating: 1, count: 900), durability: .buffered)
                written.withLock { $0 += 1 }
            }
        }
        try waitUntil("runs pile up") { flushedRuns(of: store) > WriteController.slowdownRuns }
        try waitUntil("writers are slowed down") { store.statistics.slowdowns > 0 }
        #expect(flushedRuns(of: store) <= WriteController.greatestRuns)
        isHeld.withLock { $0 = false }
        isStopping.withLock { $0 = true }
        try writer.wait()
        #expect(try store.allEntries().count == written.withLock { $0 })
        try store.close()
    }

    @Test("a writer who waits for a log is not told of a flush that fails meanwhile", .comesToAnEnd)
    func waitsForLog() throws {
        let disk = FaultInjectingFileSystem()
        let store = try StoreFixture(disk).open()
        let engine = store.engine
        func isNextLogMade() -> Bool { engine.writes.lock.withLock { engine.writes.state.nextLog != nil } }
        func bytes() -> Int { engine.writes.lock.withLock { engine.writes.state.active.table.byteCount } }
        try waitUntil("the first table fills, and its successor's log made") {
            try store.put(key(0), [UInt8](repeating: 1, count: 500))
            return isNextLogMade()
        }
        disk.setRule { $0.operation == .create && $0.path.hasSuffix(".segment") ? .noSpace : nil }
        // A queue that is suspended when its store goes would end the process.
        var held = [engine.background.flushQueue, engine.background.logQueue]
        held.forEach { $0.suspend() }
        defer { held.forEach { $0.resume() } }
        let count = 220
        let writer = Writer {
            for number in 0..<count { try store.put(key(number), [UInt8](repeating: 1, count: 500)) }
        }
        try waitUntil("the second table is full, and its successor's log not made") {
            let sealed = engine.writes.lock.withLock { engine.writes.state.sealed.count }
            return sealed == 1 && bytes() >= engine.directory.configuration.sealingBytes
        }
        // For the writer to find that out.
        usleep(50_000)
        held.removeFirst().resume()
        try waitUntil("the flush has failed") { store.statistics.backgroundError != nil }
        held.removeFirst().resume()
        try writer.wait()
        disk.setRule(.none)
        #expect(try store.allEntries().count == count)
        try store.close()
    }

    @Test("a writer of large values who is stopped does not stop the compaction that moves large values", .comesToAnEnd)
    func stoppedBesideMoves() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 64
        // Memtables are full of keys, not of values.
        configuration.valueFileBytes = 64 << 20
        let store = try fixture.open(configuration)
        let value = [UInt8](repeating: 1, count: 64)
        // Every other value is garbage, so that a compaction moves the rest.
        for _ in 0..<2 { for number in 0..<250 { try store.put(key(number), value) } }
        try store.flush()
        let (isHeld, hasBegun) = (Locked(true), Locked(false))
        holdCompactions(of: store, on: disk) {
            hasBegun.withLock { $0 = true }
            return isHeld.withLock { $0 }
        }
        defer { isHeld.withLock { $0 = false } }
        let compaction = Writer { try store.compact() }
        try waitUntil("the compaction has moved its first value") { hasBegun.withLock { $0 } }
        while flushedRuns(of: store) < WriteController.greatestRuns {
            try store.put(key(0), [])
            try store.flush()
        }
        let written = Locked(0)
        let count = 5_000
        let writer = Writer {
            for number in 0..<count {
                try store.put(key(number), value)
                written.withLock { $0 += 1 }
            }
        }
        try waitUntil("a memtable is full") {
            store.engine.writes.lock.withLock { store.engine.writes.state.active.table.byteCount }
                >= configuration.sealingBytes
        }
        // Long enough for many more puts, if they were let through.
        usleep(100_000)
        #expect(written.withLock { $0 } < count)
        isHeld.withLock { $0 = false }
        try writer.wait()
        try compaction.wait()
        #expect(try store.allEntries().map(\.value) == Array(repeating: value, count: count))
        try store.close()
    }

    private func flushedRuns(of store: KeyValueStore) -> Int {
        store.engine.writes.lock.withLock { store.engine.versions.current.levels.first?.count ?? 0 }
    }

    /// Has compactions wait before each segment that they make; flushes, on a queue of their own, go on.
    private func holdCompactions(
        of store: KeyValueStore, on disk: FaultInjectingFileSystem, while isHeld: @escaping @Sendable () -> Bool
    ) {
        let isCompacting = DispatchSpecificKey<Bool>()
        store.engine.background.compactionQueue.setSpecific(key: isCompacting, value: true)
        disk.setRule(
            FaultRule { call in
                let isMerge = call.operation == .create && call.path.hasSuffix(".segment")
                guard isMerge, DispatchQueue.getSpecific(key: isCompacting) == true else { return nil }
                while isHeld() { usleep(500) }
                return nil
            })
    }
}

/// A thread that writes: the writers of these tests wait, and must not keep a thread of the pool.
private final class Writer: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let failure = Locked<(any Error)?>(nil)

    init(_ body: @escaping @Sendable () throws -> Void) {
        Thread { [self] in
            do { try body() } catch { failure.withLock { $0 = error } }
            done.signal()
        }.start()
    }

    func wait() throws {
        done.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
