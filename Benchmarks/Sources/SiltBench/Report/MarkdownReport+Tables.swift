extension MarkdownReport {
    /// A row for each workload, a column for each engine.
    func throughput(_ section: Section) -> String {
        let engines = section.engines
        let hasRatio = engines.contains(.siltstone) && engines.count > 1
        let rows = report.labels(section).map { label in
            let summaries = engines.map { report.summary($0, label) }
            let best = TerminalReport.best(summaries)
            let cells = summaries.enumerated().map { i, summary in
                let text = summary.map(Self.cell) ?? "-"
                return i == best && engines.count > 1 ? "**\(text)**" : text
            }
            let ratio = report.ratio(label).map { ratio in
                let range = "\(Format.digits(ratio.lowest, 2)) - \(Format.digits(ratio.highest, 2))"
                return Format.ratio(ratio.value) + (ratio.lowest < ratio.highest ? " [\(range)]" : "")
            }
            return [section.shortLabel(label)] + cells + (hasRatio ? [ratio ?? "-"] : [])
                + [Format.load(report.otherCores([label]))]
        }
        return table(["ops/s or ms"] + engines.map(\.title) + (hasRatio ? ["ratio"] : []) + ["load"], rows)
    }

    private static func cell(_ summary: Summary) -> String {
        let value = Format.value(summary.value, summary.typical?.unit ?? .operationsPerSecond)
        return summary.measurements.count > 1 ? value + " " + Format.percent(summary.spread) : value
    }

    /// Latencies of every engine in every workload that is timed call by call.
    func latency(_ section: Section) -> String {
        let rows = report.labels(section).compactMap { label -> [String]? in
            let cells = section.engines.map { engine -> String in
                guard let summary = report.summary(engine, label), let p50 = summary.median({ $0.latency?.p50 }),
                    let p999 = summary.median({ $0.latency?.p999 }),
                    let longest = summary.measurements.compactMap({ $0.latency?.max }).max()
                else { return "" }
                return [p50, p999, longest].map(Format.microseconds).joined(separator: " / ")
            }
            return cells.allSatisfy(\.isEmpty) ? nil : [section.shortLabel(label)] + cells
        }
        return "Latency: median, 99.9th percentile, longest call of any round\n\n"
            + table([""] + section.engines.map(\.title), rows)
    }

    /// Space, write amplification and memory of the workloads after which these were taken.
    func costs(_ section: Section) -> String {
        let rows = report.labels(section).compactMap { label -> [String]? in
            let cells = section.engines.map { engine -> String in
                guard let summary = report.summary(engine, label), let disk = summary.median(\.spaceAmplification)
                else {
                    return ""
                }
                let written = summary.median(\.writeAmplification).map { Format.digits($0, 1) } ?? "-"
                let memory = [
                    summary.median { $0.peakAnonymousBytes.map(Double.init) },
                    summary.median { $0.peakMappedBytes.map(Double.init) },
                ].map { $0.map { Format.digits($0 / 1e6, 0) } ?? "-" }
                let settled = summary.median(\.settleSeconds).map { Format.digits($0, 1) } ?? "-"
                return "\(Format.digits(disk, 2)); \(written); \(memory.joined(separator: " + ")); \(settled)"
            }
            return cells.allSatisfy(\.isEmpty) ? nil : [section.shortLabel(label)] + cells
        }
        return """
            Costs: bytes on disk for each live byte; bytes written for each byte of the user; peak of memory in MB, \
            anonymous + mapped from files; seconds of background work afterwards, \
            which the rates leave out\n\n
            """ + table([""] + section.engines.map(\.title), rows)
    }

    /// A table, its first column left.
    func table(_ head: [String], _ rows: [[String]]) -> String {
        func line(_ cells: [String]) -> String {
            "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
        }
        let rule = head.indices.map { $0 == 0 ? "---" : "--:" }
        return ([line(head), line(rule)] + rows.map(line)).joined(separator: "\n")
    }
}
