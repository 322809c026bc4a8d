import Foundation
import SiltstoneTesting
import Synchronization
import Testing

@testable import Siltstone

/// How writers are slowed while a memtable is flushed.
struct WriteControllerTests {
    private static let table = 52 << 20
    private static let step = 1 << 20

    /// A memtable that fills while another is flushed, in milliseconds of a clock of its own.
    private struct Fill {
        var pace = WriteController()
        /// What the writers take for a MiB by themselves.
        var taken = 1.0
        /// How many of them sleep at a time.
        var writers = 1.0
        var flush = 100.0
        /// The part of the flush in which records are written.
        var merging = 0.9
        /// What it says of how far it is, by how far it is.
        var progress: (Double) -> Double = { $0 }
        /// When the memtable was full, and the longest that was slept for a MiB.
        private(set) var end = 0.0
        private(set) var longest = 0.0
        private var clock = 1000.0

        private var now: UInt64 { UInt64(clock * 1_000_000) }

        mutating func run() {
            let start = clock
            pace.beginFlush(bytes: table, now: now)
            pace.beginTable(now: now)
            longest = 0
            var isOver = false
            for bytes in stride(from: step, through: table, by: step) {
                let slept = Double(pace.delay) * 1024 / 1_000_000 / writers
                longest = max(longest, slept)
                clock += taken + slept
                if clock - start >= flush, !isOver {
                    isOver = true
                    pace.endFlush(usualBytes: table, now: UInt64((start + flush) * 1_000_000))
                }
                let part = progress(min(1, (clock - start) / (flush * merging)))
                pace.takeStep(flushed: part, bytes: bytes, room: table - bytes, now: now)
            }
            end = clock - start
            clock = max(clock, start + flush)
            if !isOver { pace.endFlush(usualBytes: table, now: now) }
        }
    }

    @Test(
        "a memtable that would be full before the flush ends is full about then, whatever writers and flush take",
        .comesToAnEnd,
        arguments: [0.1, 0.5, 1.0], [60.0, 100, 300, 3000])
    func spread(_ taken: Double, _ flush: Double) {
        for (writers, merging) in [(1.0, 0.9), (4, 0.9), (1, 0.75), (1, 1)] {
            var fill = Fill()
            (fill.taken, fill.flush, fill.writers, fill.merging) = (taken, flush, writers, merging)
            for _ in 0..<4 {
                fill.run()
                #expect(fill.end > flush * 0.6, "\(writers) writers wait for \(flush - fill.end) ms at the end")
                #expect(fill.end < flush * 1.2, "\(writers) writers are slowed for \(fill.end - flush) ms in vain")
                #expect(fill.longest < flush / 5)
            }
        }
    }

    @Test(
        "a flush that says too little of its progress, or nothing, slows writers by less than as long again",
        .comesToAnEnd)
    func wrongProgress() {
        let claims: [(Double) -> Double] = [{ _ in 0 }, { $0 < 0.9 ? $0 / 9 : 10 * $0 - 9 }, { $0 * $0 }]
        for claim in claims {
            var fill = Fill()
            (fill.progress, fill.taken) = (claim, 1.5)
            for _ in 0..<6 {
                fill.run()
                #expect(fill.end < 2 * fill.flush)
            }
        }
    }

    @Test("writers that take longer than a flush are not slowed", .comesToAnEnd, arguments: [2.5, 5, 100])
    func slowWriters(_ taken: Double) {
        var fill = Fill()
        fill.taken = taken
        for _ in 0..<4 {
            fill.run()
            #expect(fill.longest == 0)
            #expect(fill.end == (52 * taken))
        }
    }

    @Test("one flush that takes long does not make writers wait for the next in vain", .comesToAnEnd)
    func outlier() {
        var fill = Fill()
        fill.taken = 0.5
        for flush in [100.0, 100, 2000, 100] {
            fill.flush = flush
            fill.run()
            #expect(fill.end < flush * 1.2)
        }
    }

    @Test("no delay outlives its flush, whether that ends or fails", .comesToAnEnd)
    func noFlush() {
        for fails in [false, true] {
            var pace = WriteController()
            pace.beginFlush(bytes: Self.table, now: 0)
            pace.beginTable(now: 0)
            pace.takeStep(flushed: 0.1, bytes: Self.step, room: Self.table, now: 100_000_000)
            pace.takeStep(flushed: 0.1, bytes: 2 * Self.step, room: Self.table, now: 100_000_001)
            #expect(pace.delay > 0)
            if fails { pace.stopFlush() } else { pace.endFlush(usualBytes: Self.table, now: 100_000_002) }
            #expect(pace.delay == 0)
            pace.takeStep(flushed: 1, bytes: 3 * Self.step, room: Self.table, now: 100_000_003)
            #expect(pace.delay == 0)
        }
    }

    @Test("the delay has a bound, and odd figures harm nothing", .comesToAnEnd)
    func bounds() {
        var random = SeededGenerator(5)
        var pace = WriteController()
        for _ in 0..<20_000 {
            func number() -> Int { Int(random.next() >> UInt64.random(in: 1...63, using: &random)) }
            switch random.next() % 8 {
            case 0: pace.beginFlush(bytes: number(), now: UInt64(number()))
            case 1: pace.endFlush(usualBytes: number(), now: UInt64(number()))
            case 2: pace.beginTable(now: UInt64(number()))
            default:
                let part = Double(number() % 1000) / 999
                pace.takeStep(flushed: part, bytes: number(), room: number() - number(), now: UInt64(number()))
            }
            #expect(pace.delay <= 250_000)
        }
    }

    @Test(
        "writers of a store are slowed while its disk takes long for a flush, not afterwards, and lose nothing",
        .comesToAnEnd,
        arguments: [false, true])
    func store(_ fails: Bool) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        var configuration = StoreFixture.small()
        configuration.memTableBytes = 8 << 20
        configuration.sealedMemTableLimit = 1
        let store = try fixture.open(configuration)
        let calls = Locked(0)
        disk.setRule(
            FaultRule { call in
                guard call.operation == .write, call.path.hasSuffix(".segment") else { return nil }
                usleep(40_000)
                let number = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                // Most of the second flush, once.
                return fails && number == 20 ? .noSpace : nil
            })
        let count = 3 * configuration.sealingBytes / 4000
        for number in 0..<count { try store.put(key(number), [UInt8](repeating: 1, count: 4000)) }
        #expect(store.statistics.slowdowns > 0)
        let engine = store.engine
        #expect(engine.writes.flushedBytes <= configuration.memTableBytes)
        try waitUntil("nothing is flushed") { engine.writes.lock.withLock { engine.writes.state.sealed.isEmpty } }
        #expect(engine.writes.lock.withLock { engine.writes.state.controller.delay } == 0)
        #expect(engine.writes.flushedBytes > configuration.sealingBytes / 2)
        disk.setRule(.none)
        #expect(try store.allEntries().count == count)
        try store.close()
    }
}
