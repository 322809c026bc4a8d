import Testing

@testable import Siltstone

/// Counts what was tried, and records what went wrong.
struct DamageTally {
    private let attack: String
    /// What a failing test is run again with.
    var replay: String
    private var counts: [Damage.Kind: Int] = [:]
    private var repairs = 0
    private var round = 0
    /// Failures by kind; the first few of each are told.
    private var failures: [Damage.Kind: Int] = [:]
    private static let toldFailures = 3

    init(_ attack: String, test: String) {
        self.attack = attack
        replay = "again: swift test --filter BadBytesTests/\(test)"
    }

    /// Damages a sample and opens it, of four ways to open in another one than the last time.
    mutating func open(_ sample: SampleStore, _ damage: Damage) throws {
        counts[damage.kind, default: 0] += 1
        round += 1
        // By three, so that it does not go in step with the damages of a byte.
        let mode = OpeningJudge.Mode.allCases[(round + round / 3) % OpeningJudge.Mode.allCases.count]
        if let complaint = try OpeningJudge(damaged: DamagedSample(sample, damage), mode: mode).complaint() {
            fail(damage, "\(sample.name), \(mode.description), \(damage): \(complaint)")
        }
    }

    /// Damages a sample and repairs it.
    mutating func repair(_ sample: SampleStore, _ damage: Damage) throws {
        counts[damage.kind, default: 0] += 1
        repairs += 1
        if let complaint = try RepairJudge(damaged: DamagedSample(sample, damage)).complaint() {
            fail(damage, "\(sample.name), repair of \(damage): \(complaint)")
        }
    }

    private mutating func fail(_ damage: Damage, _ text: String) {
        failures[damage.kind, default: 0] += 1
        if failures[damage.kind, default: 0] <= Self.toldFailures { Issue.record("\(text) \(replay)") }
    }

    /// Prints the figures.
    func report() {
        var figures = Damage.Kind.allCases.compactMap { kind in counts[kind].map { (kind.rawValue, $0) } }
        if repairs > 0 { figures.append(("repairs in all", repairs)) }
        SuiteScale.report(attack, figures)
    }
}
