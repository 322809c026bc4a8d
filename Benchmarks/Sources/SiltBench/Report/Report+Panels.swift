extension Report {
    /// Engines with their summaries, as far as they have run a workload.
    func summaries(_ label: String) -> [(engine: EngineKind, summary: Summary)] {
        EngineKind.allCases.compactMap { engine in summary(engine, label).map { (engine, $0) } }
    }

    /// A section's throughput: a panel for each workload, a bar for each engine.
    func throughputPanels(_ section: Section) -> [Panel] {
        if section.kind == .transformers { return transformerPanels(section) }
        return labels(section).compactMap { label in
            let bars = summaries(label).map { ($0.engine.title, $0.engine, $0.summary) }
            let ratio = ratio(label).map { Format.ratio($0.value) + " best peer" }
            return barPanel(section.shortLabel(label), ratio, bars)
        }
    }

    /// A panel for each direction, a bar for each format.
    private func transformerPanels(_ section: Section) -> [Panel] {
        ["encode", "decode"].compactMap { direction in
            let bars = labels(section).filter { section.shortLabel($0).hasPrefix(direction) }.compactMap { label in
                summary(.siltstone, label).map {
                    (String(section.shortLabel(label).dropFirst(direction.count + 1)), EngineKind.siltstone, $0)
                }
            }
            return barPanel(direction, nil, bars)
        }
    }

    /// Bars, longest at the largest value.
    private func barPanel(
        _ title: String, _ ratio: String?, _ bars: [(title: String, engine: EngineKind, summary: Summary)]
    ) -> Panel? {
        let scale = bars.map(\.summary.maximum).max() ?? 0
        guard scale > 0, let unit = bars.first?.summary.typical?.unit else { return nil }
        let (left, right, height) = (74.0, 82.0, 22.0)
        let content = bars.enumerated().map { i, bar in
            BarChart.bar(
                bar.title, bar.engine, bar.summary, x: left, y: Double(i) * height,
                width: Panel.width - left - right, height: height, scale: scale)
        }
        return Panel(
            title: title, note: [unit.isRate ? "ops/s" : "ms", ratio].compactMap(\.self).joined(separator: ", "),
            height: Double(bars.count) * height, content: content.joined())
    }

    /// A section's latencies: a line for each engine over the percentiles.
    func latencyPanels(_ section: Section) -> [Panel] {
        labels(section).compactMap { label in
            let lines = summaries(label).compactMap { entry in
                entry.summary.typical?.latency.map { latency in
                    LineChart.Line(
                        engine: entry.engine,
                        points: latency.points.enumerated().map { (Double($0), max($1.microseconds, 0.01)) })
                }
            }
            let names = summaries(label).compactMap { $0.summary.typical?.latency?.points.map(\.name) }.first
            guard let names else { return nil }
            return LineChart(
                lines: lines, horizontal: .categories(names), isLogarithmic: true, format: Format.microseconds
            ).panel(section.shortLabel(label), "percentile")
        }
    }

    /// A section's course: a line for each engine over time, of workloads that write and nothing else, and of the two
    /// that meet.
    func timelinePanels(_ section: Section) -> [Panel] {
        let kinds = ["fill", "overwrite", "delete", "ycsb-load", "readwhilewriting"]
        return labels(section).compactMap { label in
            guard kinds.contains(where: { section.shortLabel(label).hasPrefix($0) }) else { return nil }
            let lines = summaries(label).compactMap { entry in
                entry.summary.typical?.timeline.map { points in
                    LineChart.Line(engine: entry.engine, points: points.map { ($0.seconds, $0.operationsPerSecond) })
                }
            }
            guard lines.contains(where: { $0.points.count > 1 }) else { return nil }
            return LineChart(lines: lines, horizontal: .seconds, isLogarithmic: true, format: Format.count)
                .panel(section.shortLabel(label), "ops/s over time")
        }
    }

    /// A panel for each workload that was run with several numbers of keys: a line for each engine over these.
    func growthPanels() -> [Panel] {
        let growing = sections.filter { $0.name.hasPrefix(Section.growthPrefix) }.sorted { $0.count < $1.count }
        guard growing.count > 1, let first = growing.first else { return [] }
        return labels(first).map { first.shortLabel($0) }.compactMap { name in
            let lines = EngineKind.allCases.compactMap { engine -> LineChart.Line? in
                let points = growing.enumerated().compactMap { i, section in
                    summary(engine, section.label(name)).map { (x: Double(i), y: $0.value) }
                }
                return points.isEmpty ? nil : LineChart.Line(engine: engine, points: points)
            }
            let unit = summaries(first.label(name)).first?.summary.typical?.unit ?? .operationsPerSecond
            let counts = growing.map { Format.size($0.count) }
            return LineChart(
                lines: lines, horizontal: .categories(counts), isLogarithmic: true,
                format: { Format.value($0, unit) }
            ).panel(name, unit.isRate ? "ops/s over keys" : "over keys")
        }
    }
}
