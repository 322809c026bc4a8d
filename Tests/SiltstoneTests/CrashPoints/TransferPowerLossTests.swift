import Foundation
import SiltstoneTesting
import Testing

@testable import CrashChild
@testable import Siltstone

/// The power fails while several threads run transactions with conflicts, share syncs and flush.
struct TransferPowerLossTests {
    @Test(
        "a transfer that was acknowledged as synced is there, and every transfer as a whole or not at all",
        arguments: LogWriting.allCases)
    func transfers(_ writing: LogWriting) throws {
        let deadline = SuiteScale.deadline()
        var (rounds, images, transfers) = (0, 0, 0)
        while deadline.map({ Date() < $0 }) ?? (rounds < SuiteScale.count(1, thorough: 10)) {
            let seed = SuiteScale.seed &+ UInt64(rounds)
            let run = ConcurrentTransfers(writing, seed: seed)
            do { try run.run() } catch {
                Issue.record("\(error); \(SuiteScale.replay("TransferPowerLossTests", seed: seed))")
                return
            }
            images += run.imageCount
            transfers += run.transferCount
            rounds += 1
        }
        #expect(images > 50)
        SuiteScale.report(
            "power loss beside transactions, \(writing)",
            ["histories": rounds, "acknowledged transfers": transfers, "crash images": images])
    }
}

/// Threads that move money between shared accounts, on a disk that is looked at now and then.
private final class ConcurrentTransfers: Sendable {
    private static let threads = 4
    private static let transfers: UInt64 = 60
    private static let imagesAtMost = 80

    private struct State: Sendable {
        /// Of each thread: transfers that have begun, and transfers of which the last synced one has returned.
        var begun = [UInt64](repeating: 0, count: threads)
        var durable = [UInt64](repeating: 0, count: threads)
        var acknowledged = 0
        var random: SeededGenerator
        var images: [(image: DiskImage, floor: [UInt64], ceiling: [UInt64], seed: UInt64)] = []
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
        configuration.fileSystem = DelayingFileSystem(disk, seed: seed)
        self.configuration = configuration
        state = Locked(State(random: SeededGenerator(seed)))
    }

    var imageCount: Int { state.withLock { $0.images.count } }
    var transferCount: Int { state.withLock { $0.acknowledged } }

    func run() throws {
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        let store = try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
        disk.observe { [weak self] _ in self?.look() }
        let group = DispatchGroup()
        for thread in 0..<Self.threads {
            Thread.detachNewThread(in: group) { self.transfer(thread, on: store) }
        }
        Thread.detachNewThread(in: group) {
            for round in 0..<6 {
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

    private func transfer(_ thread: Int, on store: KeyValueStore) {
        for index in 0..<Self.transfers {
            let durability: Durability = index % 4 == 3 ? .buffered : .synced
            state.withLock { $0.begun[thread] = index + 1 }
            do {
                try CrashTransfer(seed: seed, lane: thread, index: index).perform(on: store, durability: durability)
            } catch { return fail("a transfer: \(error)") }
            state.withLock { state in
                state.acknowledged += 1
                if durability == .synced { state.durable[thread] = index + 1 }
            }
        }
    }

    /// Takes an image of the disk at some of the calls that change it.
    private func look() {
        let (floor, seed) = state.withLock { state -> ([UInt64], UInt64?) in
            guard state.images.count < Self.imagesAtMost, state.random.chance(0.3) else { return ([], nil) }
            return (state.durable, state.random.next())
        }
        guard let seed else { return }
        let image = disk.powerLoss(seed: seed)
        state.withLock { $0.images.append((image, floor, $0.begun, seed)) }
    }

    private func check(_ image: DiskImage, _ floor: [UInt64], _ ceiling: [UInt64], _ crash: UInt64) throws {
        let place = "power loss \(crash), seed \(seed)"
        var configuration = configuration
        configuration.fileSystem = try SimulatedFileSystem(image, greatestFileSize: 16 << 20)
        let store = try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
        var balances: [Int: Int] = [:]
        for thread in 0..<Self.threads {
            let last = try store.get(CrashWorkload.counterKey(ofLane: thread))
            let found = try last.map { try #require(UInt64(String(decoding: $0, as: UTF8.self))) + 1 } ?? 0
            try BrokenPromise.unless(
                found >= floor[thread] && found <= ceiling[thread],
                "thread \(thread) has \(found) of \(floor[thread]) to \(ceiling[thread]): \(place)")
            for index in 0..<found {
                CrashTransfer(seed: seed, lane: thread, index: index).apply(to: &balances)
            }
        }
        let accounts = try store.scan(prefix: CrashTransfer.prefix).remaining()
        let found = Dictionary(uniqueKeysWithValues: accounts.map { ($0.key, $0.value) })
        try BrokenPromise.unless(
            found == CrashTransfer.entries(balances), "the accounts are not what the counters tell: \(place)")
        let problems = try store.verify().problems
        try BrokenPromise.unless(problems.isEmpty, "verify: \(problems): \(place)")
    }
}
