import Foundation

/// Panels on one SVG picture that needs nothing else: for a document.
struct PlotSheet {
    /// Of the file, without its end.
    let name: String
    let title: String
    let panels: [Panel]
    let engines: [EngineKind]
    /// The name of the section that it is about; nil where it is about several.
    var section: String?

    /// Everything there is to plot.
    static func all(of report: Report) -> [PlotSheet] {
        var sheets: [PlotSheet] = []
        for section in report.sections {
            func add(_ kind: String, _ title: String, _ panels: [Panel]) {
                sheets.append(
                    PlotSheet(
                        name: "\(section.name)-\(kind)", title: title, panels: panels, engines: section.engines,
                        section: section.name))
            }
            add("throughput", section.title, report.throughputPanels(section))
            guard section.isDetailed else { continue }
            add("latency", "Latency: " + section.title, report.latencyPanels(section))
            add("course", "Throughput over time: " + section.title, report.timelinePanels(section))
        }
        sheets.append(
            PlotSheet(name: "growth", title: "Growth", panels: report.growthPanels(), engines: report.options.engines))
        return sheets.filter { !$0.panels.isEmpty }
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
