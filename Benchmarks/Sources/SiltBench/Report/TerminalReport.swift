import Foundation

/// The results as a table for the terminal.
struct TerminalReport {
    private let report: Report
    private let isColored = isatty(1) == 1

    init(_ report: Report) { self.report = report }

    /// All of it.
    var text: String {
        var lines = [String]()
        for section in report.sections {
            lines += ["", "\(section.title); \(report.roundsInWords(section))"]
            lines += table(section)
        }
        if !report.sections.isEmpty {
            lines += ["", "medians, ± half the range; bold: the best; ratio: to the best peer;"]
            lines += ["load: cores that others kept busy, in the engine that met most: above 0.3, do not trust the row"]
        }
        lines += goals()
        lines += limits()
        lines += builds()
        if let embedding = report.embedding {
            lines += ["", "embedded in a program"]
            lines += embedding.rows.map { "  \($0.name.padded(to: 60))\($0.value.indented(to: 14))" }
        }
        if !report.leftOut.isEmpty { lines += [""] + report.leftOut.map(\.description) }
        if !report.failures.isEmpty {
            lines.append("")
            lines += report.failures.map { "FAILED  \($0.description)" }
        }
        return lines.joined(separator: "\n")
    }

    private func table(_ section: Section) -> [String] {
        let engines = section.engines
        let labels = report.labels(section)
        let hasRatio = engines.contains(.siltstone) && engines.count > 1
        let nameWidth = max(24, labels.map(\.count).max() ?? 0)
        let cellWidth = 14
        var head = "operations/s".padded(to: nameWidth)
        for engine in engines { head += engine.rawValue.indented(to: cellWidth) }
        if hasRatio { head += "ratio".indented(to: 9) }
        head += "load".indented(to: 6)
        var lines = [head, String(repeating: "-", count: head.count)]
        for label in labels {
            var line = section.shortLabel(label).padded(to: nameWidth)
            let summaries = engines.map { report.summary($0, label) }
            let best = Self.best(summaries)
            for (i, summary) in summaries.enumerated() {
                let cell = summary.map(cell) ?? "-"
                line += emphasized(cell.indented(to: cellWidth), i == best)
            }
            if hasRatio { line += (report.ratio(label).map { Format.ratio($0.value) } ?? "-").indented(to: 9) }
            line += Format.load(report.otherCores([label])).indented(to: 6)
            lines.append(line)
        }
        return lines
    }

    private func goals() -> [String] {
        let measured = report.measuredGoals
        if measured.isEmpty { return [] }
        let rows = measured.map { goal in
            """
              \(goal.title.padded(to: 50))\(goal.wanted.indented(to: 11))\(goal.reached.indented(to: 11))  \
            \((goal.range ?? "").padded(to: 16))\(goal.verdict.rawValue.padded(to: 18))\(goal.note)
            """
        }
        let counts = [GoalOutcome.Verdict.met, .barely, .close, .missed, .notMeasured].map { verdict in
            "\(report.goals.count { $0.verdict == verdict }) \(verdict.rawValue)"
        }
        return ["", "goals, set for a million keys; \(Goal.explanation)"] + rows + [
            "  " + counts.joined(separator: ", ")
        ]
    }

    private func builds() -> [String] {
        if report.engines.isEmpty { return [] }
        return ["", "builds"] + report.engines.map { "  \($0.version.padded(to: 28))\($0.build)" }
    }

    private func cell(_ summary: Summary) -> String {
        let unit = summary.typical?.unit ?? .operationsPerSecond
        let value = Format.value(summary.value, unit)
        guard summary.measurements.count > 1 else { return value }
        return value + " " + Format.percent(summary.spread).padded(to: 4)
    }

    /// The position of the best.
    static func best(_ summaries: [Summary?]) -> Int? {
        let present = summaries.enumerated().compactMap { i, summary in summary.map { (i, $0) } }
        guard let unit = present.first?.1.typical?.unit else { return nil }
        let best = present.max { unit.isRate ? $0.1.value < $1.1.value : $0.1.value > $1.1.value }
        return best?.0
    }

    private func emphasized(_ text: String, _ isBest: Bool) -> String {
        isBest && isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }

    private func limits() -> [String] {
        if report.limits.values.isEmpty { return [] }
        var lines = ["", "limits of this machine (\(report.host.processor), \(report.host.cores) cores)"]
        for kind in RawLimits.Kind.allCases {
            guard let value = report.limits.median(kind) else { continue }
            lines.append("  \(kind.title.padded(to: 52))\(kind.format(value).indented(to: 12))")
        }
        return lines
    }
}
