import Foundation

/// Panels on one SVG picture that needs nothing else: for a document.
struct PlotSheet {
    /// Of the file, without its end.
    let name: String
    let title: String
    let panels: [Panel]
    let engines: [EngineKind]

    /// Everything there is to plot.
    static func all(of report: Report) -> [PlotSheet] {
        var sheets: [PlotSheet] = []
        func add(_ name: String, _ title: String, _ panels: [Panel], _ engines: [EngineKind]) {
            if !panels.isEmpty { sheets.append(PlotSheet(name: name, title: title, panels: panels, engines: engines)) }
        }
        for section in report.sections {
            add("\(section.name)-throughput", section.title, report.throughputPanels(section), section.engines)
            guard section.isDetailed else { continue }
            add("\(section.name)-latency", "Latency: " + section.title, report.latencyPanels(section), section.engines)
            add(
                "\(section.name)-course", "Throughput over time: " + section.title, report.timelinePanels(section),
                section.engines)
        }
        add("growth", "Growth", report.growthPanels(), report.options.engines)
        return sheets
    }

    private static let (columns, gap, head) = (3, 20.0, 24.0)

    /// The picture.
    var svg: String {
        let step = Panel.width + Self.gap
        let width = Double(min(panels.count, Self.columns)) * step + Self.gap
        var (parts, y) = ([String](), 66.0)
        for start in stride(from: 0, to: panels.count, by: Self.columns) {
            let row = panels[start..<min(start + Self.columns, panels.count)]
            for (i, panel) in row.enumerated() {
                parts.append(placed(panel, x: Self.gap + Double(i) * step, y: y))
            }
            y += (row.map(\.height).max() ?? 0) + Self.head + Self.gap
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(SVG.number(width)) \(SVG.number(y))" \
            width="\(SVG.number(width))" height="\(SVG.number(y))" role="img">
            <style>\(HTMLStyle.colours)\(HTMLStyle.plots)</style>
            <rect width="100%" height="100%" style="fill: var(--paper)"/>
            \(SVG.text(title, x: Self.gap, y: 26, "title"))
            \(legend)
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    private func placed(_ panel: Panel, x: Double, y: Double) -> String {
        """
        \(SVG.text(panel.title, x: x, y: y + 12, "head"))
        \(SVG.text(panel.note, x: x + Panel.width, y: y + 12, "end note"))
        <g transform="translate(\(SVG.number(x)) \(SVG.number(y + Self.head)))">\(panel.content)</g>
        """
    }

    private var legend: String {
        engines.enumerated().map { i, engine in
            let x = Self.gap + Double(i) * 88
            return """
                <rect x="\(SVG.number(x))" y="38" width="11" height="11" class="\(engine.rawValue)"/>\
                \(SVG.text(engine.title, x: x + 16, y: 48))
                """
        }.joined()
    }
}

extension Section {
    /// Whether its latencies and its course are plotted.
    var isDetailed: Bool { kind == .engines && (name == Self.mainName || name.hasPrefix(Self.growthPrefix)) }
}
