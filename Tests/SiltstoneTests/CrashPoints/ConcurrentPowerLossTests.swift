import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// The power fails while several threads write, share syncs and flush.
struct ConcurrentPowerLossTests {
    @Test(
        "whatever was acknowledged as synced to any of several threads is there, and of each what it wrote is a prefix",
        arguments: LogWriting.allCases)
    func writers(_ writing: LogWriting) throws {
        let deadline = SuiteScale.deadline()
        var (rounds, images, writes) = (0, 0, 0)
        while deadline.map({ Date() < $0 }) ?? (rounds < SuiteScale.count(2, thorough: 10)) {
            let seed = SuiteScale.seed &+ UInt64(rounds)
            let run = ConcurrentWriters(writing, seed: seed)
            do { try run.run() } catch {
                Issue.record("\(error); \(SuiteScale.replay("ConcurrentPowerLossTests", seed: seed))")
                return
            }
            images += run.imageCount
            writes += run.writeCount
            rounds += 1
        }
        #expect(images > 100)
        SuiteScale.report(
            "power loss beside threads, \(writing)",
            ["histories": rounds, "acknowledged writes": writes, "crash images": images])
    }
}

/// Threads that write keys of their own, one after the other, on a disk that is looked at now and then.
private final class ConcurrentWriters: Sendable {
    private static let threads = 6
    private static let writes = 60
    private static let imagesAtMost = 120

    private struct State: Sendable {
        /// Of each thread: writes that have begun, and writes of which the last synced one has returned.
        var begun = [Int](repeating: 0, count: threads)
        var durable = [Int](repeating: 0, count: threads)
        var acknowledged = 0
        var random: SeededGenerator
        var images: [(image: DiskImage, floor: [Int], ceiling: [Int], seed: UInt64)] = []
        var failure: String?
    }

    private let disk = SimulatedFileSystem(greatestFileSize: 16 << 20)
    private let state: Locked<State>
    private let configuration: Configuration
    private let seed: UInt64

    init(_ writing: LogWriting, seed: UInt64) {
        self.seed = seed
        var configuration = CrashHistory.small(.synced, writing)
        configuration.automaticCompaction = true
        // Delays at the calls let writes come between a sync of values, the one of the log and what follows.
        configuration.fileSystem = DelayingFileSystem(disk, seed: seed)
        self.configuration = configuration
        state = Locked(State(random: SeededGenerator(seed)))
    }

    var imageCount: Int { state.withLock { $0.images.count } }
    var writeCount: Int { state.withLock { $0.acknowledged } }

    private static func key(_ thread: Int, _ number: Int) -> [UInt8] { Array("thread \(thread) \(1000 + number)".utf8) }

    /// Values of all sizes: most in the log, some in value files, and enough of them to fill a memtable now and then.
    private static func value(_ thread: Int, _ number: Int) -> [UInt8] {
        let length = [20, 250, 190, 300, 1200][(thread * 7 + number) % 5]
        return [UInt8](repeating: UInt8(truncatingIfNeeded: thread * 64 + number), count: length)
    }

    func run() throws {
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        let store = try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
        disk.observe { [weak self] _ in self?.look() }
        let group = DispatchGroup()
        for thread in 0..<Self.threads {
            Thread.detachNewThread(in: group) { self.write(thread, to: store) }
        }
        Thread.detachNewThread(in: group) {
            // A compaction lets the value file take no more values, too, while others put some in.
            for round in 0..<8 {
                do { if round % 2 == 0 { try store.flush() } else { try store.compact() } } catch {
                    self.fail("flush or compaction: \(error)")
                }
            }
        }
        group.wait()
        disk.observe(nil)
        try store.close()
        let (images, failure) = state.withLock { ($0.images, $0.failure) }
        try BrokenPromise.unless(failure == nil, failure ?? "")
        for image in images { try check(image.image, image.floor, image.ceiling, image.seed) }
    }

    private func fail(_ text: String) { state.withLock { $0.failure = $0.failure ?? text } }

    private func write(_ thread: Int, to store: KeyValueStore) {
        var number = 0
        while number < Self.writes {
            // Every other one is a batch of three, from a multiple of four on; now and then one does not wait.
            let count = number % 4 == 0 ? 3 : 1
            let durability: Durability = number % 8 == 3 ? .buffered : .synced
            var batch = WriteBatch()
            for index in number..<number + count { batch.put(Self.key(thread, index), Self.value(thread, index)) }
            let end = number + count
            state.withLock { $0.begun[thread] = end }
            do throws(StoreError) { try store.write(batch, durability: durability) } catch {
                return fail("a write: \(error)")
            }
            state.withLock { state in
                state.acknowledged += 1
                if durability == .synced { state.durable[thread] = end }
            }
            number = end
        }
    }

    /// Takes an image of the disk at some of the calls that change it.
    private func look() {
        let (floor, seed) = state.withLock { state -> ([Int], UInt64?) in
            guard state.images.count < Self.imagesAtMost, state.random.chance(0.4) else { return ([], nil) }
            return (state.durable, state.random.next())
        }
        guard let seed else { return }
        let image = disk.powerLoss(seed: seed)
        state.withLock { $0.images.append((image, floor, $0.begun, seed)) }
    }

    private func check(_ image: DiskImage, _ floor: [Int], _ ceiling: [Int], _ crash: UInt64) throws {
        let place = "power loss \(crash), seed \(seed)"
        var configuration = configuration
        configuration.fileSystem = try SimulatedFileSystem(image, greatestFileSize: 16 << 20)
        let store = try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
        for thread in 0..<Self.threads {
            var found = 0
            while let value = try store.get(Self.key(thread, found)) {
                try BrokenPromise.unless(value == Self.value(thread, found), "thread \(thread), \(found): \(place)")
                found += 1
            }
            try BrokenPromise.unless(
                found >= floor[thread] && found <= ceiling[thread],
                "thread \(thread) has \(found) of \(floor[thread]) to \(ceiling[thread]): \(place)")
            try BrokenPromise.unless(
                ![1, 2].contains(found % 4), "thread \(thread), part of a batch, \(found): \(place)")
            let all = try store.scan(prefix: Array("thread \(thread) ".utf8)).remaining().count
            try BrokenPromise.unless(
                all == found, "thread \(thread) has \(all) keys, with a hole behind \(found): \(place)")
        }
        let problems = try store.verify().problems
        try BrokenPromise.unless(problems.isEmpty, "verify: \(problems): \(place)")
    }
}
