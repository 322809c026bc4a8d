import SiltstoneTesting

@testable import Siltstone

/// Opens what crashes left, and says whether the promises were kept.
struct CrashOracle {
    private let history: CrashHistory
    private let models: [StoreModel]
    private let states: [StateDigest]
    private var random: SeededGenerator
    /// Images that were opened.
    private(set) var images = 0
    /// Of these, images of a recovery that was itself cut short.
    private(set) var nested = 0
    /// Images after which something was written that had to survive another crash.
    private(set) var continued = 0

    private static let marker: [UInt8] = Array("~ written after the crash".utf8)

    init(_ history: CrashHistory, seed: UInt64) {
        self.history = history
        models = history.models()
        states = models.map { StateDigest($0) }
        random = SeededGenerator(seed)
    }

    /// Checks an image, and images of its recovery.
    /// - Throws: the first promise that was broken.
    mutating func check(_ crashed: CrashedDisk) throws {
        var waiting = [crashed]
        while let next = waiting.popLast() {
            do { try recover(next, &waiting) } catch {
                throw error as? BrokenPromise ?? BrokenPromise("\(error), \(next.place)")
            }
        }
    }

    private mutating func recover(_ crashed: CrashedDisk, _ waiting: inout [CrashedDisk]) throws {
        images += 1
        if crashed.depth > 0 { nested += 1 }
        let disk: SimulatedFileSystem
        let isLive: Bool
        switch crashed.content {
        case .image(let image): (disk, isLive) = (try SimulatedFileSystem(image, greatestFileSize: 16 << 20), false)
        case .live(let survivor): (disk, isLive) = (try survivor.get(), true)
        }
        // A recovery that is cut short, and the recovery of that, too: at one call each, as every image comes by here.
        let cut = Locked<(at: Int, image: DiskImage?)>((crashed.depth < 2 ? random.index(24) : .max, nil))
        let seed = random.next()
        disk.observe { call in
            cut.withLock { cut in
                if call.number == cut.at { cut.image = disk.powerLoss(seed: seed) }
            }
        }
        let store = try open(disk, crashed.place)
        disk.observe(nil)
        if let image = cut.withLock({ $0.image }) {
            var expectation = crashed.expectation
            expectation.floor = expectation.durable
            waiting.append(
                CrashedDisk(
                    content: .image(image), expectation: expectation,
                    place: crashed.place + ", then in recovery \(seed)", depth: crashed.depth + 1))
        }
        let state = try match(store, crashed)
        try checkFeed(store, crashed)
        let report = try store.verify()
        try BrokenPromise.unless(report.problems.isEmpty, "verify: \(report.problems), \(crashed.place)")
        if crashed.depth == 0 { try checkCheckpoints(disk, crashed) }
        if isLive || random.chance(0.25) { try goOn(store, disk, state, crashed) }
    }

    private func open(_ disk: SimulatedFileSystem, _ place: String) throws -> KeyValueStore {
        var configuration = history.configuration
        configuration.fileSystem = disk
        do throws(StoreError) {
            return try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
        } catch { throw BrokenPromise("the store does not open: \(error), \(place)") }
    }

    /// Finds the moment of the history that the store shows.
    private func match(_ store: KeyValueStore, _ crashed: CrashedDisk) throws -> Int {
        let expectation = crashed.expectation
        let found = try StateDigest(store)
        for number in stride(from: expectation.ceiling, through: expectation.floor, by: -1)
        where states[number] == found { return number }
        let elsewhere = states.firstIndex(of: found).map { "that is the state after step \($0)" } ?? "no such state"
        let ceiling = models[expectation.ceiling].values
        let entries = try store.allEntries()
        let missing = ceiling.keys.filter { key in !entries.contains { $0.key == key } }
        let changed = entries.filter { ceiling[$0.key] != $0.value }.map(\.key)
        throw BrokenPromise(
            """
            steps \(expectation.floor) to \(expectation.ceiling) were expected, \(elsewhere); \
            missing \(missing.map { String(decoding: $0, as: UTF8.self) }), \
            other \(changed.map { String(decoding: $0, as: UTF8.self) }), \(crashed.place)
            """)
    }

    /// The feed of what the logs still hold leads to what the store holds, if nothing is missing.
    private func checkFeed(_ store: KeyValueStore, _ crashed: CrashedDisk) throws {
        guard history.checksFeed else { return }
        let fold = try FeedFold(replaying: store)
        try BrokenPromise.unless(
            fold.problems.isEmpty && fold.sequence == store.statistics.lastSequence,
            "the feed: \(fold.problems), ends at \(fold.sequence), \(crashed.place)")
        let difference = fold.missed == 0 ? fold.difference(from: try store.allEntries()) : nil
        try BrokenPromise.unless(difference == nil, "\(difference ?? ""), \(crashed.place)")
    }

    private func checkCheckpoints(_ disk: SimulatedFileSystem, _ crashed: CrashedDisk) throws {
        var configuration = history.configuration
        configuration.fileSystem = disk
        configuration.readOnly = true
        for (name, step) in crashed.expectation.checkpoints {
            let path = CrashHistory.checkpointPath(name)
            let checkpoint = try KeyValueStore.open(at: path, configuration: configuration)
            let digest = try StateDigest(checkpoint)
            try BrokenPromise.unless(digest == states[step], "checkpoint \(name), \(crashed.place)")
            try checkpoint.close()
        }
    }

    /// Writes something, crashes again, and looks whether it is there, and all that was seen before it.
    private mutating func goOn(
        _ store: KeyValueStore, _ disk: SimulatedFileSystem, _ state: Int, _ crashed: CrashedDisk
    ) throws {
        continued += 1
        var model = models[state]
        model[Self.marker] = [UInt8](repeating: 7, count: random.chance(0.3) ? 400 : 4)
        try store.put(Self.marker, model[Self.marker] ?? [], durability: .synced)
        if random.chance(0.3) { try store.flush() }
        let seed = random.next()
        let place = crashed.place + ", then gone on, power loss \(seed)"
        let next = try SimulatedFileSystem(disk.powerLoss(seed: seed), greatestFileSize: 16 << 20)
        images += 1
        let again = try open(next, place)
        let found = try StateDigest(again)
        try BrokenPromise.unless(found == StateDigest(model), "what was written after a crash is gone, \(place)")
        if random.chance(0.5) { try again.close() }
        try store.close()
    }
}
