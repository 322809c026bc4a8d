import Siltstone

/// Renders a store's statistics as text for people.
struct StatisticsText {
    private let statistics: Statistics
    private let path: String
    private let bar: Bar

    init(_ statistics: Statistics, path: String, bar: Bar) {
        self.statistics = statistics
        self.path = path
        self.bar = bar
    }

    /// The text, ending in a line feed.
    var text: String {
        var lines = ["store      \(path)", ""]
        lines += summary + [""]
        lines += levels
        return lines.joined(separator: "\n") + "\n"
    }

    private var summary: [String] {
        [
            "on disk    " + HumanUnits.bytes(statistics.diskBytes),
            "log        \(HumanUnits.bytes(statistics.logBytes)) in \(HumanUnits.count(statistics.logs, "file"))",
            "memory     \(HumanUnits.bytes(statistics.memTableBytes)), "
                + "\(HumanUnits.count(statistics.memTableRecords, "record")) not in segments yet",
            "values     \(HumanUnits.bytes(statistics.valueFileBytes)) apart from their keys in "
                + "\(HumanUnits.count(statistics.valueFiles, "file")), "
                + "\(HumanUnits.bytes(max(statistics.valueFileBytes - statistics.liveValueBytes, 0))) "
                + "not referred to by segments",
            // The tool has just opened the store: nothing is known of its write amplification.
            "amplify    read \(statistics.readAmplification), "
                + "space \(HumanUnits.decimal(statistics.spaceAmplification)) if only the deepest level is live",
        ]
    }

    /// A table of the levels, with a bar for each and a sum.
    private var levels: [String] {
        let levels = statistics.levels.filter { $0.segments > 0 }
        if levels.isEmpty { return ["no segments yet"] }
        let all = levels.reduce(0) { $0 + $1.bytes }
        let blank = String(repeating: " ", count: bar.width)
        var rows = [["level", blank, "runs", "segments", "size", "records", "tombstones"]]
        for level in levels {
            let share = all > 0 ? Double(level.bytes) / Double(all) : 0
            rows.append(["L\(level.level)", bar.draw(share)] + numbers(level))
        }
        if levels.count > 1 { rows.append(["all", blank] + numbers(sum(levels))) }
        return Self.aligned(rows)
    }

    private func numbers(_ level: Statistics.Level) -> [String] {
        [
            HumanUnits.count(level.runs), HumanUnits.count(level.segments), HumanUnits.bytes(level.bytes),
            HumanUnits.count(level.records), HumanUnits.count(level.tombstones),
        ]
    }

    private func sum(_ levels: [Statistics.Level]) -> Statistics.Level {
        var sum = levels[0]  // not empty: checked by the caller
        for level in levels.dropFirst() {
            sum.runs += level.runs
            sum.segments += level.segments
            sum.bytes += level.bytes
            sum.records += level.records
            sum.tombstones += level.tombstones
        }
        return sum
    }

    /// Formats rows with the same number of cells: the first two columns left-aligned, the others right-aligned.
    private static func aligned(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.indices.map { $0 < 2 ? row[$0].padded(to: widths[$0]) : row[$0].indented(to: widths[$0]) }
                .joined(separator: "  ")
        }
    }
}
