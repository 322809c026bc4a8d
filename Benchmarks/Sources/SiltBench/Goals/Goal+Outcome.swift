extension Goal {
    /// Differences below this share are noise.
    static let noise = 0.15

    /// For the head of a table.
    static let explanation = """
        ratios are to the best peer, of the medians, with the lowest and the highest of the rounds; \
        'met within noise' is met, but not in the worst round, 'close' is missed by less than 15 %, which is noise
        """

    /// What a measurement says of a goal.
    private struct Reading {
        var value: Double
        var lowest: Double?
        var highest: Double?
        var note = ""
        /// Labels of the measurements that it comes from.
        var labels: [String]
    }

    /// How the goal stands after a run.
    func outcome(in report: Report) -> GoalOutcome {
        let reading = reading(in: report)
        return GoalOutcome(
            title: title, wanted: (measure.isHigherBetter ? "≥ " : "≤ ") + measure.format(wanted),
            reached: reading.map { measure.format($0.value) } ?? "-", wantedValue: wanted,
            reachedValue: reading?.value, lowest: reading?.lowest, highest: reading?.highest,
            note: reading?.note ?? "", otherCores: reading.flatMap { report.otherCores($0.labels) },
            verdict: reading.map { verdict($0) } ?? .notMeasured)
    }

    private func verdict(_ reading: Reading) -> GoalOutcome.Verdict {
        let worst = measure.isHigherBetter ? reading.lowest : reading.highest
        let isMet = verdict(reading.value)
        return isMet == .met && worst.map { verdict($0) != .met } ?? false ? .barely : isMet
    }

    /// Whether a value is good enough.
    func verdict(_ value: Double) -> GoalOutcome.Verdict {
        let share = measure.isHigherBetter ? value / wanted : wanted / max(value, .leastNonzeroMagnitude)
        return share >= 1 ? .met : share >= 1 - Self.noise ? .close : .missed
    }

    private func reading(in report: Report) -> Reading? {
        switch measure {
        case .ratio(let label):
            return ratio(report.ratio(report.resolved(label)), label)
        case .ratioTo(let engine, let label):
            guard let own = report.summary(.siltstone, label), let other = report.summary(engine, label) else {
                return nil
            }
            return ratio(Ratio(own, to: other, of: engine), label)
        case .besidePlain(let engine, let label):
            guard let client = engine.plainClient, let own = report.summary(engine, label),
                let plain = report.summary(client, label)
            else { return nil }
            return ratio(Ratio(own, to: plain, of: client), label)
        case .share(let label, let kind):
            guard let own = report.summary(.siltstone, label), let limit = report.limits.median(kind) else {
                return nil
            }
            return Reading(
                value: own.value / limit, lowest: own.minimum / limit, highest: own.maximum / limit,
                note: "of \(kind.format(limit))", labels: [label])
        case .time(let label):
            let label = report.summary(.siltstone, label) == nil ? String(label.prefix { $0 != ":" }) : label
            return report.summary(.siltstone, label).map {
                Reading(value: $0.value, lowest: $0.minimum, highest: $0.maximum, labels: [label])
            }
        case .above(let label, let base): return above(label, base, in: report)
        case .tail(let label): return tail(label, in: report)
        case .longestCall(let labels): return longestCall(labels, in: report)
        case .space(let label):
            return report.summary(.siltstone, label)?.median(\.spaceAmplification).map {
                Reading(value: $0, labels: [label])
            }
        case .growth(let label): return growth(label, in: report)
        case .kept(let label, let before): return kept(label, of: before, in: report)
        case .slowestThread(let label): return slowestThread(label, in: report)
        case .memory: return memory(in: report)
        }
    }

    /// By the medians.
    private func above(_ label: String, _ base: String, in report: Report) -> Reading? {
        guard let own = report.summary(.siltstone, label), let other = report.summary(.siltstone, base) else {
            return nil
        }
        return Reading(
            value: own.value - other.value, lowest: own.minimum - other.value, highest: own.maximum - other.value,
            note: "\(Format.milliseconds(own.value)) and \(Format.milliseconds(other.value))", labels: [label, base])
    }

    /// Compared round by round: both rates of a round are of the same minutes.
    private func kept(_ label: String, of before: String, in report: Report) -> Reading? {
        guard let own = report.summary(.siltstone, label), let other = report.summary(.siltstone, before),
            let ratio = Ratio(own, to: other, of: .siltstone)
        else { return nil }
        return Reading(
            value: ratio.value, lowest: ratio.lowest, highest: ratio.highest,
            note: "\(Format.count(own.value)) of \(Format.count(other.value))", labels: [label, before])
    }

    private func slowestThread(_ label: String, in report: Report) -> Reading? {
        guard let summary = report.summary(.siltstone, label) else { return nil }
        let shares = summary.measurements.compactMap { $0.contention?.slowestThread }
        guard let lowest = shares.min(), let highest = shares.max() else { return nil }
        let longest = summary.measurements.compactMap { $0.latency?.max }.max() ?? 0
        let attempts = summary.measurements.compactMap { $0.contention?.mostAttempts }.max() ?? 0
        return Reading(
            value: shares.median, lowest: lowest, highest: highest,
            note: "longest \(Format.microseconds(longest)), at most \(attempts) attempts", labels: [label])
    }

    private func ratio(_ ratio: Ratio?, _ label: String) -> Reading? {
        ratio.map {
            Reading(
                value: $0.value, lowest: $0.lowest, highest: $0.highest, note: "to \($0.peer.title)", labels: [label])
        }
    }

    private func tail(_ label: String, in report: Report) -> Reading? {
        func tail(_ engine: EngineKind) -> Double? { report.summary(engine, label)?.median { $0.latency?.p999 } }
        let peers = EngineKind.allCases.filter(\.isPeer).compactMap { engine in tail(engine).map { (engine, $0) } }
        guard let own = tail(.siltstone), own > 0, let best = peers.min(by: { $0.1 < $1.1 }) else { return nil }
        return Reading(
            value: best.1 / own,
            note: "\(Format.microseconds(own)), \(best.0.title) \(Format.microseconds(best.1))", labels: [label])
    }

    private func longestCall(_ labels: [String], in report: Report) -> Reading? {
        let calls = labels.compactMap { label in
            report.summary(.siltstone, label)?.measurements.compactMap { $0.latency?.max }.max().map { (label, $0) }
        }
        return calls.max { $0.1 < $1.1 }.map { Reading(value: $0.1 / 1000, note: "in \($0.0)", labels: labels) }
    }

    private func growth(_ label: String, in report: Report) -> Reading? {
        guard let (small, large) = report.growthPair else { return nil }
        func kept(_ engine: EngineKind) -> Double? {
            guard let before = report.summary(engine, small.label(label))?.value,
                let after = report.summary(engine, large.label(label))?.value, before > 0
            else { return nil }
            return after / before
        }
        let peers = EngineKind.allCases.filter(\.isPeer).compactMap { engine in kept(engine).map { (engine, $0) } }
        guard let own = kept(.siltstone), let best = peers.max(by: { $0.1 < $1.1 }), best.1 > 0 else { return nil }
        return Reading(
            value: own / best.1,
            note: "keeps \(Format.digits(own, 2)), \(best.0.title) \(Format.digits(best.1, 2))",
            labels: [small.label(label), large.label(label)])
    }

    private func memory(in report: Report) -> Reading? {
        let budget = Double(EngineSettings.writeBufferBytes + EngineSettings.cacheBytes)
        let own = report.measurements.filter { $0.engine == .siltstone && $0.section == Section.mainName }
        let peaks = own.compactMap { measurement in measurement.peakAnonymousBytes.map { (measurement.label, $0) } }
        return peaks.max { $0.1 < $1.1 }.map {
            Reading(
                value: Double($0.1) / budget, note: "\(Format.bytes($0.1)) in \($0.0), mapped files beside",
                labels: [$0.0])
        }
    }
}

extension Report {
    /// The goals of which something was measured.
    var measuredGoals: [GoalOutcome] { goals.filter { $0.verdict != .notMeasured } }

    /// The titles of the others.
    var unmeasuredGoals: [String] { goals.filter { $0.verdict == .notMeasured }.map(\.title) }

    /// The sections that goals of growth compare: the largest that grow, one of which has 20 times the other's keys.
    var growthPair: (small: Section, large: Section)? {
        let growing = sections.filter { $0.name.hasPrefix(Section.growthPrefix) }.sorted { $0.count < $1.count }
        for large in growing.reversed() {
            if let small = growing.first(where: { $0.count * 20 == large.count }) { return (small, large) }
        }
        return nil
    }

    /// `growth/` before a label stands for the largest of the sections that grow.
    func resolved(_ label: String) -> String {
        let prefix = "growth/"
        guard label.hasPrefix(prefix), let large = growthPair?.large else { return label }
        return large.label(String(label.dropFirst(prefix.count)))
    }

    /// The most cores that others kept busy in any median measurement of these labels; nil where all were too short to tell.
    func otherCores(_ labels: [String]) -> Double? {
        labels.flatMap { label in
            EngineKind.allCases.compactMap { summary($0, resolved(label))?.median { $0.otherCores } }
        }.max()
    }
}
