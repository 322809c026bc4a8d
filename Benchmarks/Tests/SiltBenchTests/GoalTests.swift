import Testing

@testable import SiltBench

struct GoalTests {
    /// A report on Siltstone and two peers, with values by round.
    private func report(_ label: String, _ values: [EngineKind: [Double]], unit: Measurement.Unit) -> Report {
        var report = Report(Options())
        report.options.sections = [Section(name: "main", title: "", count: 1000, engines: Array(values.keys))]
        for (engine, rounds) in values {
            for (round, value) in rounds.enumerated() {
                report.measurements.append(
                    Measurement(engine: engine, label: label, round: round, unit: unit, value: value))
            }
        }
        return report
    }

    @Test("a ratio is of the medians, to the best peer, with the span of the rounds")
    func ratio() {
        let report = report(
            "fillrandom", [.siltstone: [100, 120, 90], .leveldb: [20, 20, 30], .lmdb: [10, 10, 10]],
            unit: .operationsPerSecond)
        let outcome = Goal(title: "", measure: .ratio("fillrandom"), wanted: 5).outcome(in: report)
        #expect(outcome.reachedValue == 5)
        #expect(outcome.lowest == 3 && outcome.highest == 6)
        #expect(outcome.note == "to LevelDB")
    }

    @Test(
        "what the median meets and the worst round does not is met within noise",
        arguments: [(90.0, true), (101, false)])
    func barelyMet(worst: Double, isBarely: Bool) {
        let rates: [EngineKind: [Double]] = [.siltstone: [105, 120, worst], .leveldb: [20, 20, 20]]
        let rate = report("fillrandom", rates, unit: .operationsPerSecond)
        let ratio = Goal(title: "", measure: .ratio("fillrandom"), wanted: 5).outcome(in: rate)
        #expect(ratio.verdict == (isBarely ? .barely : .met))
        let times = report("open", [.siltstone: [0.9, 0.8, 100 / worst]], unit: .milliseconds)
        let time = Goal(title: "", measure: .time("open"), wanted: 1).outcome(in: times)
        #expect(time.verdict == (isBarely ? .barely : .met))
    }

    @Test(
        "what is missed by less than the noise is close, by more is missed",
        arguments: [(86.0, "close"), (84, "missed")])
    func noise(value: Double, verdict: String) {
        let report = report("open", [.siltstone: [100 / value]], unit: .milliseconds)
        let outcome = Goal(title: "", measure: .time("open"), wanted: 1).outcome(in: report)
        #expect(outcome.verdict.rawValue == verdict)
    }

    @Test("a goal that nothing was measured for is neither met nor missed")
    func notMeasured() {
        #expect(Goal.all.allSatisfy { $0.outcome(in: Report(Options())).verdict == .notMeasured })
    }

    @Test("every goal names workloads that the sets have")
    func labels() throws {
        let sections = try SectionSet.full.sections(
            count: 1_000_000, valueBytes: 100, engines: EngineKind.named, threads: 1)
        let tables = TableWorkload.allCases.compactMap { $0.rawValue.split(separator: ":").first.map(String.init) }
        let adapters = AdapterWorkload.allCases.map(\.rawValue)
        let names = Set(sections.flatMap { $0.workloads.map(\.name) } + tables + adapters)
        for goal in Goal.all {
            let labels: [String] =
                switch goal.measure {
                case .ratio(let label), .ratioTo(_, let label), .besidePlain(_, let label), .share(let label, _),
                    .time(let label),
                    .tail(let label),
                    .space(let label), .growth(let label):
                    [label]
                case .kept(let label, let before), .above(let label, let before): [label, before]
                case .slowestThread(let label): [label]
                case .longestCall(let labels): labels
                case .memory: []
                }
            for label in labels {
                let workload = label.split(separator: "/").last?.split(whereSeparator: { $0 == ":" || $0 == "." }).first
                #expect(workload.map { names.contains(String($0)) } == true, "\(label)")
            }
        }
    }

    @Test("what a time is above another is a difference of medians, with the span of the rounds")
    func above() throws {
        var report = report("open", [.siltstone: [3, 2, 7]], unit: .milliseconds)
        for value in [1, 1.5, 1] {
            report.measurements.append(
                Measurement(engine: .siltstone, label: "store", round: 0, unit: .milliseconds, value: value))
        }
        let outcome = Goal(title: "", measure: .above("open", "store"), wanted: 2).outcome(in: report)
        #expect(outcome.reachedValue == 2 && outcome.lowest == 1 && outcome.highest == 6 && outcome.verdict == .barely)
    }

    @Test("growth is what is kept of a rate, compared with the peer that keeps most")
    func growth() throws {
        var report = Report(Options())
        // The last has no other of a twentieth of its keys.
        report.options.sections = [100, 1000, 20_000, 25_000].map {
            Section(name: "growth-\($0)", title: "", count: $0, engines: [.siltstone, .leveldb, .lmdb])
        }
        for (engine, values) in [
            (EngineKind.siltstone, [9.0, 100, 90, 1]), (.leveldb, [9, 20, 9, 9]), (.lmdb, [9, 10, 6, 9]),
        ] {
            for (section, value) in zip(report.options.sections, values) {
                report.measurements.append(
                    Measurement(
                        engine: engine, label: section.label("readseq"), round: 0, unit: .operationsPerSecond,
                        value: value))
            }
        }
        let reached = Goal(title: "", measure: .growth("readseq"), wanted: 1).outcome(in: report).reachedValue
        #expect(abs(try #require(reached) - 0.9 / 0.6) < 1e-9)
    }

    @Test("what is kept of a rate is Siltstone's own; the slowest thread is the median of the rounds")
    func transactions() {
        var report = report("x@8", [.siltstone: [60, 40, 50]], unit: .operationsPerSecond)
        for round in 0..<3 {
            report.measurements.append(
                Measurement(engine: .siltstone, label: "x", round: round, unit: .operationsPerSecond, value: 100))
        }
        let kept = Goal(title: "", measure: .kept("x@8", of: "x"), wanted: 0.5).outcome(in: report)
        #expect(kept.reachedValue == 0.5 && kept.lowest == 0.4 && kept.verdict == .barely)
        for (index, share) in [(0, 0.9), (1, 0.2), (2, 0.7)] {
            report.measurements[index].contention = Contention(retries: 0, mostAttempts: index, slowestThread: share)
        }
        let slowest = Goal(title: "", measure: .slowestThread("x@8"), wanted: 0.5).outcome(in: report)
        #expect(slowest.reachedValue == 0.7 && slowest.lowest == 0.2 && slowest.verdict == .barely)
        #expect(slowest.note.contains("at most 2 attempts"))
    }

    @Test("an adapter is compared with the library below it, round by round")
    func adapters() {
        let report = report(
            "key", [.postgres: [80, 90, 50], .libpq: [100, 100, 100], .siltstone: [900, 900, 900]],
            unit: .operationsPerSecond)
        let outcome = Goal(title: "", measure: .besidePlain(.postgres, "key"), wanted: 0.85).outcome(in: report)
        #expect(outcome.reachedValue == 0.8 && outcome.lowest == 0.5 && outcome.highest == 0.9)
        #expect(outcome.verdict == .close && outcome.note == "to libpq")
        let other = Goal(title: "", measure: .besidePlain(.mariadb, "key"), wanted: 0.85).outcome(in: report)
        #expect(other.verdict == .notMeasured)
    }

    @Test("engines that do other work than the rest are not compared with")
    func comparable() {
        let report = report(
            "compact", [.siltstone: [100], .rocksdb: [200], .lmdb: [10], .sqlite: [300]], unit: .milliseconds)
        #expect(report.ratio("compact")?.value == 2)
    }
}
