import SiltstoneTesting
import Synchronization

@testable import Siltstone

/// A disk as a crash left it, and what must be found there.
struct CrashedDisk: Sendable {
    enum Content: Sendable {
        /// The power has failed: what is left is all durable.
        case image(DiskImage)
        /// Only the process has died: what was not synced is still on its way.
        case live(Result<SimulatedFileSystem, FileSystemError>)
    }

    var content: Content
    var expectation: CrashExpectation
    /// Which call was about to be made, for whoever looks for the fault.
    var place: String
    /// How many recoveries were cut short before.
    var depth = 0
}

/// Runs a history on a simulated disk, and takes images of it at every call that changes the disk and after every step.
final class CrashDriver: Sendable {
    private struct Progress: Sendable {
        /// Steps that have returned.
        var done = 0
        /// Steps that have begun.
        var begun = 0
        /// Steps that survive a loss of power.
        var durable = 0
        var checkpoints: [String: Int] = [:]
        /// Moments at which an image could have been taken, and those at which one was.
        var moments = 0
        var points = 0
        var seen: Set<Int> = []
        var images: [CrashedDisk] = []
    }

    private let history: CrashHistory
    private let seed: UInt64
    private let imagesPerPoint: Int
    private let disk = SimulatedFileSystem(greatestFileSize: 16 << 20)
    private let progress = Locked(Progress())
    /// In the quick form each history is crashed at one call of five, histories of other names at others.
    private static let interval = SuiteScale.count(5, thorough: 1)
    private let firstMoment: Int

    init(_ history: CrashHistory, seed: UInt64, imagesPerPoint: Int) {
        self.history = history
        self.seed = seed
        self.imagesPerPoint = imagesPerPoint
        firstMoment = history.name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) % 1_009 } % Self.interval
    }

    /// At how many moments images were taken.
    var points: Int { progress.withLock { $0.points } }

    /// Runs the history to its end.
    /// - Parameter check: gets what crashes on the way leave, no two of a moment alike. After each step, while the history
    ///   stands still: all at once they would take gigabytes.
    func run(_ check: (CrashedDisk) throws -> Void) throws {
        // What an application has made before it opens its first store.
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        disk.observe { [weak self] call in self?.crash("\(call.operation) \(call.path), call \(call.number)") }
        defer { disk.observe(nil) }
        var configuration = history.configuration
        configuration.fileSystem = disk
        var store = try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
        var held: [(snapshot: Snapshot, model: StoreModel)] = []
        let models = history.models()
        for (number, step) in history.steps.enumerated() {
            progress.withLock { $0.begun = number + 1 }
            var tookEffect = true
            switch step {
            case .hold: held.append((store.snapshot(), models[number]))
            case .release: if !held.isEmpty { try compare(held.removeFirst()) }
            case .reopen:
                for old in held { try compare(old) }
                held = []
                try store.close()
                store = try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
            default: tookEffect = try Self.make(step, store)
            }
            didStep(number, step, tookEffect)
            crash("after step \(number)")
            try drain(check)
        }
        for old in held { try compare(old) }
        let digest = try StateDigest(store)
        try BrokenPromise.unless(digest == StateDigest(models[models.count - 1]), "\(history.name), undisturbed")
        try store.close()
        crash("after closing")
        try drain(check)
    }

    private func drain(_ check: (CrashedDisk) throws -> Void) throws {
        let images = progress.withLock { progress in
            defer { progress.images = [] }
            return progress.images
        }
        for image in images { try check(image) }
    }

    /// Makes a step that is a call of the store.
    /// - Returns: false where it has a condition that did not hold.
    static func make(_ step: HistoryStep, _ store: KeyValueStore) throws -> Bool {
        switch step {
        case .put(let key, let value, let durability): try store.put(key, value, durability: durability)
        case .delete(let key, let durability): try store.delete(key, durability: durability)
        case .deleteRange(let from, let to, let durability):
            try store.deleteRange(from: from, to: to, durability: durability)
        case .write(let changes, let durability):
            var batch = WriteBatch()
            for change in changes { change.add(to: &batch) }
            try store.write(batch, durability: durability)
        case .transaction(let changes, let durability): try HistoryTransaction.commit(changes, store, durability)
        case .conflict(let changes): try HistoryTransaction.conflict(changes, store)
        case .insert(let key, let value): return try store.insert(key, value)
        case .replace(let key, let value): return try store.replace(key, value)
        case .remove(let key): return try store.remove(key)
        case .compareAndSet(let key, let expected, let new):
            return try store.compareAndSet(key, expected: expected, new: new)
        case .flush: try store.flush()
        case .compact: try store.compact()
        case .sync: try store.sync()
        case .checkpoint(let name): try store.checkpoint(to: CrashHistory.checkpointPath(name))
        case .hold, .release, .reopen: break
        }
        return true
    }

    private func compare(_ held: (snapshot: Snapshot, model: StoreModel)) throws {
        let entries = try held.snapshot.scan().remaining()
        try BrokenPromise.unless(entries == held.model.scan(), "\(history.name), a held snapshot")
        held.snapshot.release()
    }

    private func didStep(_ number: Int, _ step: HistoryStep, _ tookEffect: Bool) {
        progress.withLock { progress in
            progress.done = number + 1
            if tookEffect, step.isDurable(history.configuration) { progress.durable = number + 1 }
            if case .checkpoint(let name) = step { progress.checkpoints[name] = number + 1 }
        }
    }

    /// Takes images of the disk as it is at this moment.
    private func crash(_ place: String) {
        // What is promised is read before the image is taken, what has begun after it: other threads go on meanwhile.
        let now = progress.withLock { progress -> (before: Progress, point: Int)? in
            defer { progress.moments += 1 }
            guard progress.moments % Self.interval == firstMoment else { return nil }
            progress.points += 1
            return (progress, progress.points)
        }
        guard let (before, point) = now else { return }
        var images = [(disk.processDeath(), before.done, "process death")]
        for number in 0..<imagesPerPoint {
            let seed = self.seed &+ UInt64(point) &* 1_000_003 &+ UInt64(number)
            images.append((disk.powerLoss(seed: seed), before.durable, "power loss \(seed)"))
        }
        let survivor = Result { () throws(FileSystemError) in try disk.afterProcessDeath() }
        progress.withLock { progress in
            for (index, (image, floor, kind)) in images.enumerated() {
                let expectation = CrashExpectation(
                    floor: floor, durable: before.durable, ceiling: progress.begun, checkpoints: before.checkpoints)
                var hasher = Hasher()
                hasher.combine(image)
                hasher.combine(floor)
                hasher.combine(progress.begun)
                guard progress.seen.insert(hasher.finalize()).inserted else { continue }
                let place = "\(history.name), \(place), \(kind)"
                let content: CrashedDisk.Content = index == 0 ? .live(survivor) : .image(image)
                progress.images.append(CrashedDisk(content: content, expectation: expectation, place: place))
            }
        }
    }
}
