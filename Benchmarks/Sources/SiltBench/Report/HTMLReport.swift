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
        <h2>Throughput</h2>
        <p>Median of \(report.options.rounds) rounds; the line over a bar spans the slowest and the fastest. Each panel has
        a scale of its own. Longer is better; where the unit is ms, shorter is.</p>
        <div class="panels">\(report.labels.map(barPanel).joined(separator: "\n"))</div>
        <h2>Latency</h2>
        <p>Percentiles of single operations, clock and key generation included; logarithmic.</p>
        <div class="panels">\(report.labels.map(latencyPanel).joined(separator: "\n"))</div>
        <h2>Throughput over time</h2>
        <p>Of the median round. A dip is a stall.</p>
        <div class="panels">\(timelineLabels.map(timelinePanel).joined(separator: "\n"))</div>
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
            \(options.count) keys, values of \(options.valueBytes) bytes, \(options.rounds) rounds.</p>
            <p class="legend">\(options.engines.map(HTML.legendEntry).joined(separator: " "))</p>
            """
    }

    private var failures: String {
        if report.failures.isEmpty { return "" }
        let items = report.failures.map {
            "<li>\(HTML.escaped("\($0.engine.title), round \($0.round + 1): \($0.text)"))</li>"
        }
        return "<h2>Failures</h2><ul class=\"failures\">\(items.joined())</ul>"
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
            <td class="text">\(HTML.escaped($0.options))</td></tr>
            """
        }
        return "<table>\(rows.joined(separator: "\n"))</table>"
    }

    /// Engines with their summaries, as far as they have run a workload.
    func summaries(_ label: String) -> [(engine: EngineKind, summary: Summary)] {
        report.options.engines.compactMap { engine in report.summary(engine, label).map { (engine, $0) } }
    }

    /// Workloads whose course over time says something: those that write and nothing else, and the two that meet.
    private var timelineLabels: [String] {
        let kinds = ["fill", "overwrite", "delete", "ycsb-load", "readwhilewriting"]
        return report.labels.filter { label in kinds.contains { label.hasPrefix($0) } }
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

    /// A plot with its heading.
    static func panel(_ title: String, _ note: String, _ content: String) -> String {
        """
        <figure><figcaption><b>\(escaped(title))</b> <span>\(escaped(note))</span></figcaption>
        \(content)</figure>
        """
    }
}
