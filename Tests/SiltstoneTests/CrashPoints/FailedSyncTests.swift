import SiltstoneTesting
import Testing

@testable import Siltstone

/// A sync that fails takes with it what it should have written: the kernel shows it to whoever reads, calls it clean,
/// writes it never, and reports success to the next sync. (Rebello et al., "Can Applications Recover from fsync
/// Failures?", USENIX ATC 2020.)
struct FailedSyncTests {
    @Test(
        "whichever sync fails, what is acknowledged is there after a loss of power; the store opened again before that too",
        arguments: [Durability.synced, .buffered], LogWriting.allCases)
    func everySync(_ durability: Durability, _ writing: LogWriting) throws {
        var (syncs, images) = (0, 0)
        // In the quick form one sync of eighteen, of each history others.
        let step = SuiteScale.count(30, thorough: 1)
        let histories = CrashHistory.scripts.filter {
            $0.configuration.durability == durability && $0.configuration.logWriting == writing
        }
        for (index, history) in histories.enumerated() {
            var number = index * step / histories.count
            while true {
                let run = try FailedSyncRun(history, failing: number, seed: SuiteScale.seed &+ UInt64(number))
                do { images += try run.check() } catch {
                    let replay = SuiteScale.replay("FailedSyncTests/everySync", seed: SuiteScale.seed)
                    Issue.record("\(run.place): \(error)\n\(replay)")
                    return
                }
                syncs += 1
                number += step
                if !run.hasFailed { break }
            }
        }
        #expect(syncs > SuiteScale.count(12, thorough: 300))
        SuiteScale.report(
            "failed syncs, \(durability), \(writing)", ["syncs that failed": syncs, "crash images after them": images])
    }
}

/// One history of which one sync fails.
private final class FailedSyncRun {
    private let history: CrashHistory
    private let models: [StoreModel]
    private let seed: UInt64
    private let number: Int
    private let disk = SimulatedFileSystem(greatestFileSize: 16 << 20)
    private let count = Counter()
    private var store: KeyValueStore?
    /// Steps that have begun, that have returned, and that survive a loss of power.
    private var (begun, done, durable) = (0, 0, 0)

    private static let marker: [UInt8] = Array("~ written after the failure".utf8)

    init(_ history: CrashHistory, failing number: Int, seed: UInt64) throws {
        self.history = history
        self.number = number
        self.seed = seed
        models = history.models()
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        disk.failSyncs { [count] _ in count.next() == number }
    }

    /// Whether there were as many syncs.
    var hasFailed: Bool { count.value > number }

    var place: String { "sync \(number) of \(history.name) fails, seed \(seed)" }

    private func open(_ disk: SimulatedFileSystem) throws -> KeyValueStore {
        var configuration = history.configuration
        configuration.fileSystem = disk
        return try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
    }

    /// Runs the history, and crashes after the failure.
    /// - Returns: how many images were opened.
    func check() throws -> Int {
        try play()
        store = nil
        disk.failSyncs(where: nil)
        guard hasFailed else { return 0 }
        // The power fails at once.
        var images = 0
        for index in 0..<3 {
            let next = try SimulatedFileSystem(disk.powerLoss(seed: seed &+ UInt64(index)))
            _ = try state(of: try open(next), from: durable, "power loss \(index)")
            images += 1
        }
        // Only the process ends. The next one sees what the kernel shows it, goes on, and then the power fails.
        let again = try open(disk)
        let state = try state(of: again, from: done, "opened again")
        var model = models[state]
        for round in 0..<2 {
            model[Self.marker] = [UInt8](repeating: UInt8(round), count: round == 0 ? 10 : 400)
            try again.put(Self.marker, model[Self.marker] ?? [], durability: .synced)
            for index in 0..<3 {
                let next = try SimulatedFileSystem(disk.powerLoss(seed: seed &+ UInt64(100 + 10 * round + index)))
                let found = try StateDigest(try open(next))
                try BrokenPromise.unless(found == StateDigest(model), "after writing \(round), power loss \(index)")
                images += 1
            }
        }
        try again.close()
        return images
    }

    /// Runs the steps up to the first change that throws; what else throws is passed over.
    private func play() throws {
        for _ in 0..<3 where store == nil {
            do { store = try open(disk) } catch { try require(error) }
        }
        for (index, step) in history.steps.enumerated() {
            guard let store else { return }
            begun = index + 1
            var tookEffect = true
            do {
                switch step {
                case .hold, .release: break
                case .reopen:
                    self.store = nil
                    try store.close()
                    self.store = try open(disk)
                default: tookEffect = try CrashDriver.make(step, store)
                }
                done = index + 1
                if tookEffect, step.isDurable(history.configuration) { durable = index + 1 }
            } catch {
                try require(error)
                if step.changesData { return }
                done = index + 1
                if self.store == nil { self.store = try open(disk) }
            }
        }
        do { try store?.close() } catch { try require(error) }
    }

    /// The failure is told as what it is.
    private func require(_ error: any Error) throws {
        let code = (error as? StoreError)?.code
        try BrokenPromise.unless(code == .inputOutput || code == .refusesWrites, "\(error)")
    }

    private func state(of store: KeyValueStore, from floor: Int, _ moment: String) throws -> Int {
        let found = try StateDigest(store)
        let report = try store.verify()
        try BrokenPromise.unless(report.problems.isEmpty, "\(moment): \(report.problems)")
        let state = stride(from: begun, through: floor, by: -1).first { StateDigest(models[$0]) == found }
        guard let state else { throw BrokenPromise("\(moment): none of the states \(floor) to \(begun)") }
        return state
    }
}
