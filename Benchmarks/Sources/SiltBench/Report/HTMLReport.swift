import Foundation

/// The results as one page that needs nothing else: plots are drawn as SVG in place.
struct HTMLReport {
    let report: Report

    init(_ report: Report) { self.report = report }

    /// The page.
    var text: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>silt-bench</title>
        <style>\(HTMLStyle.text)</style>
        </head>
        <body>
        <main>
        \(header)
        \(failures)
        \(goals)
        \(report.sections.map(sectionPart).joined(separator: "\n"))
        \(panels("Growth", "The same workloads with more and more keys; rates on a logarithmic scale.", report.growthPanels(), 2))
        \(embedding)
        <h2>All figures</h2>
        \(figures)
        <h2>Limits of this machine</h2>
        \(limits)
        <h2>Engines</h2>
        \(engines)
        </main>
        </body>
        </html>

        """
    }

    private var header: String {
        let host = report.host
        let options = report.options
        return """
            <h1>silt-bench</h1>
            <p>\(HTML.escaped(host.date)) on \(HTML.escaped(host.processor)), \(host.cores) cores, \
            \(Format.bytes(host.memoryBytes)) of memory, \(HTML.escaped(host.system)).
            Medians; the line over a bar spans the slowest and the fastest. Each panel has a scale of its own.
            Longer is better; where the unit is ms, shorter is.</p>
            <p class="legend">\(options.engines.map(HTML.legendEntry).joined(separator: " "))</p>
            """
    }

    private func sectionPart(_ section: Section) -> String {
        var parts = [panels(section.title, report.roundsInWords(section) + ".", report.throughputPanels(section), 2)]
        if section.isDetailed {
            parts.append(
                panels(
                    "Latency", "Percentiles of single operations, clock and key generation included; logarithmic.",
                    report.latencyPanels(section), 3))
            parts.append(
                panels(
                    "Throughput over time", "Of the median round, both scales logarithmic. A dip is a stall.",
                    report.timelinePanels(section), 3)
            )
        }
        return parts.joined(separator: "\n")
    }

    /// Panels under a heading; nothing where there are none.
    private func panels(_ title: String, _ text: String, _ panels: [Panel], _ level: Int) -> String {
        if panels.isEmpty { return "" }
        return """
            <h\(level)>\(HTML.escaped(title))</h\(level)>
            <p>\(text)</p>
            <div class="panels">\(panels.map(\.figure).joined(separator: "\n"))</div>
            """
    }

    private var failures: String {
        let leftOut = report.leftOut.map { "<p>\(HTML.escaped($0.description)).</p>" }.joined()
        if report.failures.isEmpty { return leftOut }
        let items = report.failures.map {
            "<li>\(HTML.escaped($0.description))</li>"
        }
        return leftOut + "<h2>Failures</h2><ul class=\"failures\">\(items.joined())</ul>"
    }

    private var limits: String {
        let rows = RawLimits.Kind.allCases.compactMap { kind in
            report.limits.median(kind).map {
                "<tr><th scope=\"row\">\(kind.title)</th><td>\(kind.format($0))</td></tr>"
            }
        }
        return "<table>\(rows.joined(separator: "\n"))</table>"
    }

    private var engines: String {
        let rows = report.engines.map {
            """
            <tr><th scope="row">\(HTML.escaped($0.version))</th>\
            <td class="text">\(HTML.escaped($0.options))</td><td class="text">\(HTML.escaped($0.build))</td></tr>
            """
        }
        return "<table>\(rows.joined(separator: "\n"))</table>"
    }

    /// The goals that were measured.
    private var goals: String {
        let measured = report.measuredGoals
        if measured.isEmpty { return "" }
        let rows = measured.map { goal in
            let range = goal.range.map { "[\($0)]" } ?? ""
            return """
                <tr><th scope="row">\(HTML.escaped(goal.title))</th><td>\(HTML.escaped(goal.wanted))</td>\
                <td>\(goal.reached)</td><td>\(range)</td><td class="text">\(HTML.escaped(goal.note))</td>\
                <td>\(Format.load(goal.otherCores))</td>\
                <td class="text \(goal.verdict.rawValue)">\(goal.verdict.rawValue)</td></tr>
                """
        }
        let head = ["goal", "wanted", "reached", "rounds", "", "other load", ""]
        let others = report.unmeasuredGoals.map(HTML.escaped)
        let rest = others.isEmpty ? "" : "<p>Not measured: \(others.joined(separator: "; ")).</p>"
        return """
            <h2>Goals</h2>
            <p>Set for a million keys of 16 bytes, values of 100; \(Goal.explanation)</p>
            <div class="wide"><table><tr>\(head.map { "<th>\($0)</th>" }.joined())</tr>
            \(rows.joined(separator: "\n"))</table></div>
            \(rest)
            """
    }

    private var embedding: String {
        guard let embedding = report.embedding else { return "" }
        let rows = embedding.rows.map {
            "<tr><th scope=\"row\">\(HTML.escaped($0.name))</th><td>\(HTML.escaped($0.value))</td></tr>"
        }
        return "<h2>Embedded</h2><table>\(rows.joined(separator: "\n"))</table>"
    }
}

/// Pieces of HTML.
enum HTML {
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }

    static func legendEntry(_ engine: EngineKind) -> String {
        "<span class=\"key\"><i class=\"\(engine.rawValue)\"></i>\(engine.title)</span>"
    }
}
