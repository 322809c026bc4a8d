import SiltstoneTesting
import Testing

@testable import Siltstone

/// A random history on a store whose calls fail by chance, in ways of one or several kinds.
struct FaultHistory {
    private let run: FaultRun
    private let rule: FaultRule
    private var random: SeededGenerator

    /// - Parameter seed: decides everything: configuration, kinds, probability, history.
    init(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let access = random.chance(0.5) ? FaultAccess.mapped : .called
        var configuration = access.configuration
        configuration.automaticCompaction = random.chance(0.5)
        configuration.durability = random.chance(0.5) ? .synced : .buffered
        configuration.compression = random.chance(0.5) ? .none : .deflate(level: 1)
        configuration.largeValueBytes = [500, 2000, 20_000].randomElement(using: &random) ?? 2000
        let kinds = (0..<(1 + random.index(3))).compactMap { _ in FaultKind.allKinds.randomElement(using: &random) }
        let probability = [0.002, 0.01, 0.05].randomElement(using: &random) ?? 0.01
        let kind = FaultKind.mixed(kinds)
        let place =
            "seed \(seed), \(access.rawValue), \(kind.name), \(probability); "
            + SuiteScale.replay("FaultSweepTests/history", seed: seed)
        run = try FaultRun(place, kind, try FaultPhase.settled(configuration), configuration)
        rule = Self.rule(kinds, probability, seed)
        self.random = random
    }

    /// Each call meets a fault by chance, one that it can meet.
    private static func rule(_ kinds: [FaultKind], _ probability: Double, _ seed: UInt64) -> FaultRule {
        let chance = FaultRule.random(seed: seed, probability: probability, [.inputOutput])
        return FaultRule { call in
            let possible = kinds.filter { $0.operations.contains(call.operation) }
            guard !possible.isEmpty, chance.decide(call) != nil else { return nil }
            return possible[call.number % possible.count].fault(call)
        }
    }

    /// - Returns: how many calls failed.
    mutating func play(_ watchdog: Watchdog) throws -> Int {
        watchdog.watch(run.place)
        run.disk.setRule(rule)
        for _ in 0..<80 {
            if run.store == nil { run.open() }
            step()
            if run.ledger.states.count > 8 || run.isRefused { try lookAgain() }
        }
        try run.check(afterDeath: random.chance(0.5))
        return run.disk.faults.count
    }

    private mutating func step() {
        let number = random.index(60)
        switch random.index(100) {
        case 0..<55: run.put(number, random.chance(0.2) ? random.index(9000) : random.index(400))
        case 55..<65: run.delete(number)
        case 65..<70:
            let end = number + random.index(10)
            run.change({ $0.deleteRange(key(number), key(end)) }) { store throws(StoreError) in
                try store.deleteRange(from: key(number), to: key(end))
            }
        case 70..<80: writeBatch(number)
        case 80..<85:
            let value = FaultRun.value(number, 99)
            run.changeIf(number, { $0 == nil }, to: value) { store throws(StoreError) in
                try store.insert(key(number), value)
            }
        case 85..<90: read(number)
        case 90..<94: if let store = run.store { run.attempt { () throws(StoreError) in try store.flush() } }
        case 94..<96: if let store = run.store { run.attempt { () throws(StoreError) in try store.compact() } }
        case 96..<98: if let store = run.store { run.attempt { () throws(StoreError) in try store.sync() } }
        default: run.close()
        }
    }

    private mutating func writeBatch(_ number: Int) {
        var batch = WriteBatch()
        let values = (0..<4).map { FaultRun.value(number + $0, random.index(900)) }
        for (index, value) in values.enumerated() { batch.put(key(number + index), value) }
        let whole = batch
        run.change({ model in for (index, value) in values.enumerated() { model[key(number + index)] = value } }) {
            store throws(StoreError) in
            try store.write(whole)
        }
    }

    private func read(_ number: Int) {
        guard let store = run.store else { return }
        if case .success(let value) = run.attempt({ () throws(StoreError) in try store.get(key(number)) }) {
            #expect(run.ledger.states.contains { $0[key(number)] == value }, run.comment)
        }
    }

    /// Opens the store anew without faults, so that it is known what has become of the failed changes.
    private func lookAgain() throws {
        run.disk.setRule(.none)
        run.close()
        let store = try run.fixture.openWhenFree(run.configuration)
        let found = try store.allEntries()
        #expect(run.ledger.narrow { $0.scan() == found }, "looking again; \(run.comment)")
        run.store = store
        run.disk.setRule(rule)
    }
}

extension FaultKind {
    /// All of several kinds at a time.
    static func mixed(_ kinds: [FaultKind]) -> FaultKind {
        FaultKind(
            name: kinds.map(\.name).joined(separator: " and "), operations: [], fault: { _ in .inputOutput },
            codes: kinds.reduce(into: []) { $0.formUnion($1.codes) }, heals: kinds.allSatisfy(\.heals))
    }
}

extension FaultRun {
    /// Whether the store takes no writes until it is opened again.
    var isRefused: Bool {
        guard let engine = store?.engine else { return false }
        return engine.status.hasFailed
    }
}
