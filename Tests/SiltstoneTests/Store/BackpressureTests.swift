import Dispatch
import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// Writers never get further ahead of the disk than the documentation says.
@Suite("Backpressure", .comesToAnEnd)
struct BackpressureTests {
    @Test("while no memtable can be flushed, writers stop before a third one waits, and go on when it is over")
    func stalls() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        var configuration = StoreFixture.small()
        configuration.memTableBytes = 64 << 10
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
        func sealed() -> Int { store.engine.writeLock.withLock { store.engine.state.pointee.sealed.count } }
        try waitUntil("a memtable waits") { sealed() > 0 }
        // Long enough for many more puts, if they were let through.
        var before = -1
        while before != written.withLock({ $0 }) {
            before = written.withLock { $0 }
            usleep(100_000)
        }
        #expect(before < count && sealed() <= 2)
        let bytes = 3 * (configuration.memTableBytes + 4_096)
        #expect(before * 500 <= bytes, "\(before) values are in memory")
        #expect(try fixture.names(ending: ".log").count <= 4)
        gate.withLock { $0 = true }
        try writer.wait()
        #expect(store.statistics.stalls > 0)
        #expect(try store.allEntries().count == count)
        try store.close()
    }

    @Test("while compactions do not keep up, writers are slowed down, and stopped at the greatest number of runs")
    func slowdowns() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        var configuration = StoreFixture.small()
        configuration.memTableBytes = 64 << 10
        configuration.automaticCompaction = true
        let store = try fixture.open(configuration)
        let isHeld = Locked(true)
        let isCompacting = DispatchSpecificKey<Bool>()
        store.engine.compactionQueue.setSpecific(key: isCompacting, value: true)
        // Compactions wait; flushes, on a queue of their own, go on.
        disk.setRule(
            FaultRule { call in
                guard call.operation == .create, DispatchQueue.getSpecific(key: isCompacting) == true else {
                    return nil
                }
                while isHeld.withLock({ $0 }) { usleep(500) }
                return nil
            })
        defer { isHeld.withLock { $0 = false } }
        func runs() -> Int {
            store.engine.writeLock.withLock { store.engine.state.pointee.version.levels.first?.count ?? 0 }
        }
        let (isStopping, written) = (Locked(false), Locked(0))
        let writer = Writer {
            while !isStopping.withLock({ $0 }) {
                let number = written.withLock { $0 }
                try store.put(key(number), [UInt8](repeating: 1, count: 900), durability: .buffered)
                written.withLock { $0 += 1 }
            }
        }
        try waitUntil("runs pile up") { runs() > WriteThrottle.slowdownRuns }
        try waitUntil("writers are slowed down") { store.statistics.slowdowns > 0 }
        #expect(runs() <= WriteThrottle.greatestRuns)
        isHeld.withLock { $0 = false }
        isStopping.withLock { $0 = true }
        try writer.wait()
        #expect(try store.allEntries().count == written.withLock { $0 })
        try store.close()
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
