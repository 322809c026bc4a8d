extension HTMLReport {
    /// Everything as a table, a row for each workload and engine.
    var figures: String {
        let head = [
            "workload", "engine", "result", "±", "p50", "p99", "p99.9", "max", "CPU/op", "settled after", "on disk",
            "/ live", "write amp.", "peak anon.", "peak mapped", "peak RSS", "other load",
        ]
        let rows = report.sections.flatMap { report.labels($0) }.flatMap { label in
            report.summaries(label).enumerated().map { i, entry in
                row(i == 0 ? label : "", entry.engine, entry.summary)
            }
        }
        return """
            <p>CPU counts all threads of the process, background work included; write amplification counts bytes that
            reached files, as the kernel tells, for each byte of keys and values; other load is the number of cores that
            other processes, or other guests of the host, kept busy. Peaks of anonymous and of mapped memory are
            without the harness's own; that of the resident set is with it.</p>
            <div class="wide"><table>
            <tr>\(head.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr>
            \(rows.joined(separator: "\n"))
            </table></div>
            """
    }

    private func row(_ label: String, _ engine: EngineKind, _ summary: Summary) -> String {
        let typical = summary.typical
        let latency = typical?.latency
        func cell(_ value: Double?, _ format: (Double) -> String) -> String { value.map(format) ?? "" }
        let cells = [
            Format.value(summary.value, typical?.unit ?? .operationsPerSecond),
            summary.measurements.count > 1 ? Format.percent(summary.spread) : "",
            cell(latency?.p50, Format.microseconds), cell(latency?.p99, Format.microseconds),
            cell(latency?.p999, Format.microseconds), cell(latency?.max, Format.microseconds),
            cell(summary.median(\.cpuMicroseconds), Format.microseconds),
            cell(summary.median(\.settleSeconds)) { Format.digits($0, 1) + " s" },
            cell(summary.median { $0.diskBytes.map(Double.init) }) { Format.bytes(Int($0)) },
            cell(summary.median(\.spaceAmplification)) { Format.digits($0, 2) },
            cell(summary.median(\.writeAmplification)) { Format.digits($0, 1) },
            cell(summary.median { $0.peakAnonymousBytes.map(Double.init) }) { Format.bytes(Int($0)) },
            cell(summary.median { $0.peakMappedBytes.map(Double.init) }) { Format.bytes(Int($0)) },
            cell(summary.median { $0.peakMemoryBytes.map(Double.init) }) { Format.bytes(Int($0)) },
            cell(summary.median { $0.otherCores }) { Format.digits($0, 1) },
        ]
        return """
            <tr\(label.isEmpty ? "" : " class=\"first\"")><th scope="row">\(HTML.escaped(label))</th>\
            <td class="text"><i class="\(engine.rawValue)"></i>\(engine.title)</td>\
            \(cells.map { "<td>\($0)</td>" }.joined())</tr>
            """
    }
}
