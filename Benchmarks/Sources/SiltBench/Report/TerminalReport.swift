import Foundation

/// The results as a table for the terminal.
struct TerminalReport {
    private let report: Report
    private let isColored = isatty(1) == 1

    init(_ report: Report) { self.report = report }

    /// All of it.
    var text: String {
        var lines = [""]
        lines += table()
        lines.append("")
        lines.append("median of \(report.options.rounds), ± half the range; bold: the best; ratio: to the best peer")
        lines.append("")
        lines += limits()
        if !report.failures.isEmpty {
            lines.append("")
            lines += report.failures.map { "FAILED  \($0.engine.title), round \($0.round + 1): \($0.text)" }
        }
        return lines.joined(separator: "\n")
    }

    private func table() -> [String] {
        let engines = report.options.engines
        let hasRatio = engines.contains(.siltstone) && engines.count > 1
        let nameWidth = max(24, report.labels.map(\.count).max() ?? 0)
        let cellWidth = 14
        var head = "operations/s".padded(to: nameWidth)
        for engine in engines { head += engine.rawValue.indented(to: cellWidth) }
        if hasRatio { head += "ratio".indented(to: 9) }
        var lines = [head, String(repeating: "-", count: head.count)]
        for label in report.labels {
            var line = label.padded(to: nameWidth)
            let summaries = engines.map { report.summary($0, label) }
            let best = Self.best(summaries)
            for (i, summary) in summaries.enumerated() {
                let cell = summary.map(cell) ?? "-"
                line += emphasized(cell.indented(to: cellWidth), i == best)
            }
            if hasRatio { line += (report.ratio(label).map(Format.ratio) ?? "-").indented(to: 9) }
            lines.append(line)
        }
        return lines
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
        var lines = ["limits of this machine (\(report.host.processor), \(report.host.cores) cores)"]
        for kind in RawLimits.Kind.allCases {
            guard let value = report.limits.median(kind) else { continue }
            lines.append("  \(kind.title.padded(to: 52))\(kind.format(value).indented(to: 12))")
        }
        return lines
    }
}
