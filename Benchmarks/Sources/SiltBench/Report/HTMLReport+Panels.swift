extension HTMLReport {
    /// A bar for each engine, longest at the largest value.
    func barPanel(_ label: String) -> String {
        let entries = summaries(label)
        let scale = entries.map(\.summary.maximum).max() ?? 0
        guard scale > 0 else { return "" }
        let (left, right, height) = (74.0, 82.0, 22.0)
        let width = BarChart.width - left - right
        let bars = entries.enumerated().map { i, entry in
            BarChart.bar(
                entry.engine, entry.summary, x: left, y: Double(i) * height, width: width, height: height, scale: scale)
        }
        let ratio = report.ratio(label).map { Format.ratio($0) + " the best peer" } ?? ""
        let unit = entries.first?.summary.typical?.unit ?? .operationsPerSecond
        return HTML.panel(
            label, (unit.isRate ? "ops/s" : "ms") + (ratio.isEmpty ? "" : ", \(ratio)"),
            SVG.picture(width: BarChart.width, height: Double(entries.count) * height, bars.joined()))
    }

    /// A line for each engine over the percentiles.
    func latencyPanel(_ label: String) -> String {
        let lines = summaries(label).compactMap { entry in
            entry.summary.typical?.latency.map { latency in
                LineChart.Line(
                    engine: entry.engine,
                    points: latency.points.enumerated().map { (Double($0), max($1.microseconds, 0.01)) })
            }
        }
        guard let names = summaries(label).compactMap({ $0.summary.typical?.latency?.points.map(\.name) }).first else {
            return ""
        }
        let chart = LineChart(
            lines: lines, horizontal: .categories(names), isLogarithmic: true, format: Format.microseconds)
        return HTML.panel(label, "percentile", chart.svg)
    }

    /// A line for each engine over time.
    func timelinePanel(_ label: String) -> String {
        let lines = summaries(label).compactMap { entry in
            entry.summary.typical?.timeline.map { points in
                LineChart.Line(engine: entry.engine, points: points.map { ($0.seconds, $0.operationsPerSecond) })
            }
        }
        guard lines.contains(where: { $0.points.count > 1 }) else { return "" }
        let chart = LineChart(lines: lines, horizontal: .seconds, isLogarithmic: true, format: Format.count)
        return HTML.panel(label, "ops/s over seconds", chart.svg)
    }
}
