import Foundation

/// The results as Markdown, for a document: tables, and references to the plots.
struct MarkdownReport {
    let report: Report
    /// The folder of the plots, as seen from the document; nil without plots.
    private let plots: String?
    /// The name of the document's file, without its extension.
    private let title: String
    /// The arguments of the command that makes the document.
    private let arguments: [String]

    /// - Parameters:
    ///   - plots: the folder of the plots.
    ///   - path: where the document will be.
    ///   - arguments: the arguments of the command that makes the document; without any, the document names no command.
    init(_ report: Report, plots: String?, at path: String, arguments: [String] = []) {
        self.report = report
        self.plots = plots.map { Self.relative($0, to: path) }
        self.title = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        self.arguments = arguments
    }

    /// The whole document.
    var text: String {
        var parts = ["# Results: \(title)"]
        if !arguments.isEmpty { parts.append("```sh\n\(command)\n```") }
        parts.append(header)
        if !report.leftOut.isEmpty {
            parts.append(report.leftOut.map { "\($0.description)." }.joined(separator: "\n"))
        }
        if !report.failures.isEmpty {
            parts.append("## Failures\n\n" + report.failures.map { "- \($0.description)" }.joined(separator: "\n"))
        }
        parts += [goals, engines, limits].compactMap(\.self)
        for section in report.sections {
            parts.append("## \(section.title.capitalizedFirst)")
            parts.append(report.roundsInWords(section) + ".")
            parts.append(throughput(section))
            parts += sheets(of: section)
            let contention = report.contention(section)
            if !contention.isEmpty {
                parts += [Report.contentionNote.capitalizedFirst + ".", table(Report.contentionHead, contention)]
            }
            if section.name == Section.mainName { parts += [latency(section), costs(section)] }
        }
        let growth = sheets(of: nil)
        if !growth.isEmpty { parts += ["## Growth"] + growth }
        if let embedding = report.embedding {
            parts += ["## Embedded", table(["", ""], embedding.rows.map { [$0.name, $0.value] })]
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// What to type in the folder of the harness to make the document again.
    private var command: String {
        let quoted = arguments.map { argument in
            let isPlain = argument.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "-")...UInt8(ascii: "9") ~= byte || "_=,@:+%".utf8.contains(byte)
            }
            return isPlain && !argument.isEmpty ? argument : "'\(argument.replacing("'", with: #"'\''"#))'"
        }
        return (["swift run -c release silt-bench"] + quoted).joined(separator: " ")
    }

    private var header: String {
        let host = report.host
        return """
            Measured \(host.date) on \(host.processor), \(host.cores) cores, \(Format.bytes(host.memoryBytes)) of memory,
            \(host.system); medians, ± half the range. *Ratio*: Siltstone to the best peer, above 1 it is the faster
            one; in brackets the lowest and the highest of the rounds. *Load*: cores that other processes, or other guests
            of the host, kept busy.
            """
    }

    private var goals: String? {
        let measured = report.measuredGoals
        if measured.isEmpty { return nil }
        let rows = measured.map { goal in
            [
                goal.title, goal.wanted,
                goal.verdict == .met || goal.verdict == .barely ? "**\(goal.reached)**" : goal.reached,
                goal.range ?? "",
                goal.note, Format.load(goal.otherCores), goal.verdict.rawValue,
            ]
        }
        let others = report.unmeasuredGoals
        let rest = others.isEmpty ? "" : "\n\nNot measured in these rounds: \(others.joined(separator: "; "))."
        return "## Goals\n\n" + table(["goal", "wanted", "reached", "rounds", "", "load", "verdict"], rows) + rest
    }

    private var engines: String? {
        if report.engines.isEmpty { return nil }
        return "## Engines\n\n"
            + table(["engine", "options", "build"], report.engines.map { [$0.version, "`\($0.options)`", $0.build] })
    }

    private var limits: String? {
        let rows = RawLimits.Kind.allCases.compactMap { kind in
            report.limits.median(kind).map { [kind.title, kind.format($0)] }
        }
        return rows.isEmpty ? nil : "## Limits of the machine\n\n" + table(["", ""], rows)
    }

    /// References to the plots of a section; of none, to those that are about several.
    private func sheets(of section: Section?) -> [String] {
        guard let plots else { return [] }
        return PlotSheet.all(of: report).filter { $0.section == section?.name }.map {
            "![\($0.title)](\(plots)/\($0.name).svg)"
        }
    }

    /// `folder` as seen from the folder of `file`; as it is where they have nothing in common.
    static func relative(_ folder: String, to file: String) -> String {
        let here = URL(fileURLWithPath: file).deletingLastPathComponent().standardizedFileURL.pathComponents
        let there = URL(fileURLWithPath: folder).standardizedFileURL.pathComponents
        let common = zip(here, there).prefix { $0 == $1 }.count
        let steps = Array(repeating: "..", count: here.count - common) + there[common...]
        return steps.isEmpty ? "." : steps.joined(separator: "/")
    }
}
