import Siltstone

/// Draws the levels of a store: a row for each sorted run, a box for each segment over its key range.
struct LevelDrawing {
    private let segments: [StoreLayout.Segment]
    /// The distinct first and last keys of all segments, in order. They are drawn at equal distances.
    private let bounds: [[UInt8]]

    private static let width = 1000.0
    private static let left = 60.0
    private static let rowHeight = 26.0

    init(_ layout: StoreLayout) {
        segments = layout.segments
        var bounds = Set(segments.map(\.firstKey) + segments.map(\.lastKey)).sorted { $0.lexicographicallyPrecedes($1) }
        if bounds.count == 1 { bounds.append(bounds[0] + [0]) }
        self.bounds = bounds
    }

    func add(to html: inout HTML) {
        html.raw("<section id=\"levels\">\n")
        html.element("h2", "", "Levels and their keys")
        guard !segments.isEmpty else {
            html.element("p", "class=\"hint\"", "No segments yet: all data is in memtables and their logs.")
            html.raw("</section>\n")
            return
        }
        html.element(
            "p", "class=\"hint\"",
            "Each row is a sorted run, each box a segment over the keys that it covers, from the first key on the left "
                + "to the last on the right. A read asks the rows from top to bottom.")
        let runs = self.runs
        let height = Double(runs.count) * Self.rowHeight + 26
        html.raw(
            "<div class=\"scroll\"><svg viewBox=\"0 0 \(Int(Self.width)) \(Int(height))\" role=\"img\" aria-label=\"levels\">\n"
        )
        for (row, run) in runs.enumerated() { add(run, top: Double(row) * Self.rowHeight, to: &html) }
        addEnds(y: height - 8, to: &html)
        html.raw(
            "</svg></div>\n<div class=\"legend\"><span><i class=\"fresh\"></i>level 0: flushed, not merged yet</span>")
        html.raw("<span><i></i>merged</span></div>\n</section>\n")
    }

    /// The segments by level and run, in the order of a read.
    private var runs: [[StoreLayout.Segment]] {
        var runs: [[StoreLayout.Segment]] = []
        for segment in segments {
            if let last = runs.last?.last, last.level == segment.level, last.run == segment.run {
                runs[runs.count - 1].append(segment)
            } else {
                runs.append([segment])
            }
        }
        return runs
    }

    private func add(_ run: [StoreLayout.Segment], top: Double, to html: inout HTML) {
        let middle = top + Self.rowHeight / 2
        html.raw("<text x=\"0\" y=\"\(middle + 4)\">L\(run[0].level)</text>")
        html.raw("<line class=\"rail\" x1=\"\(Self.left)\" x2=\"\(Self.width)\" y1=\"\(middle)\" y2=\"\(middle)\"/>")
        for segment in run {
            let start = position(segment.firstKey), end = position(segment.lastKey)
            let style = segment.level == 0 ? "segment fresh" : "segment"
            html.raw("<rect class=\"\(style)\" x=\"\(round(start))\" y=\"\(top + 3)\" rx=\"3\" ")
            html.raw("width=\"\(round(max(end - start - 1.5, 2)))\" height=\"\(Self.rowHeight - 6)\"><title>")
            html.escaped(
                "segment \(segment.number): \(HumanUnits.bytes(segment.bytes)), "
                    + "\(HumanUnits.count(segment.records, "record")), \(HumanUnits.count(segment.tombstones, "tombstone"))"
                    + "\n\(HTML.key(segment.firstKey)) to \(HTML.key(segment.lastKey))")
            html.raw("</title></rect>\n")
        }
    }

    private func addEnds(y: Double, to html: inout HTML) {
        guard let first = bounds.first, let last = bounds.last else { return }
        html.raw("<text x=\"\(Self.left)\" y=\"\(y)\">")
        html.escaped(HTML.key(first, limit: 28))
        html.raw("</text><text x=\"\(Self.width)\" y=\"\(y)\" text-anchor=\"end\">")
        html.escaped(HTML.key(last, limit: 28))
        html.raw("</text>\n")
    }

    private func position(_ key: [UInt8]) -> Double {
        var low = 0, high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle].lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        let share = Double(low) / Double(max(bounds.count - 1, 1))
        return Self.left + share * (Self.width - Self.left)
    }

    private func round(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
