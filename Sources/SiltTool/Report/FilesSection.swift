import Siltstone

/// Memtables, logs, segments and value files, with their live and dead bytes.
struct FilesSection {
    private let report: StoreReport

    init(_ report: StoreReport) { self.report = report }

    func add(to html: inout HTML) {
        html.raw("<section id=\"files\">\n")
        html.element("h2", "", "Files and memory")
        html.element(
            "p", "class=\"hint\"",
            "Dead bytes are versions that newer ones hide, and values that nothing refers to. Compaction removes them. "
                + "Segments above the deepest level count as dead, and so do values that no segment refers to, "
                + "though records that are not in segments yet may refer to them."
        )
        html.raw("<div class=\"bars\">\n")
        let statistics = report.statistics
        let most = max(
            statistics.segmentBytes, statistics.valueFileBytes, statistics.logBytes, statistics.memTableBytes, 1)
        let deepest = statistics.levels.last { $0.bytes > 0 }?.bytes ?? 0
        add(
            "segments", live: deepest, all: statistics.segmentBytes, most,
            HumanUnits.count(report.layout.segments.count, "file"),
            &html)
        let values = report.layout.valueFiles
        add(
            "value files", live: min(statistics.liveValueBytes, statistics.valueFileBytes),
            all: statistics.valueFileBytes,
            most, HumanUnits.count(values.count, "file"), &html)
        add(
            "logs", live: statistics.logBytes, all: statistics.logBytes, most,
            HumanUnits.count(statistics.logs, "file"), &html,
            "fresh")
        add(
            "memtables", live: statistics.memTableBytes, all: statistics.memTableBytes, most,
            HumanUnits.count(statistics.memTableRecords, "record"), &html, "fresh")
        html.raw(
            "</div>\n<div class=\"legend\"><span><i></i>live</span><span><i class=\"dead\"></i>perhaps dead</span>")
        html.raw("<span><i class=\"fresh\"></i>not in segments yet</span></div>\n")
        if !values.isEmpty { addValueFiles(values, &html) }
        html.raw("</section>\n")
    }

    private func add(
        _ name: String, live: Int, all: Int, _ most: Int, _ note: String, _ html: inout HTML, _ style: String = ""
    ) {
        html.element("span", "class=\"name\"", name)
        html.raw("<span class=\"bar\"><i class=\"\(style)\" style=\"width:\(Percent.text(live, of: most))\"></i>")
        html.raw("<i class=\"dead\" style=\"width:\(Percent.text(all - live, of: most))\"></i></span>")
        let dead = all > live ? ", \(HumanUnits.bytes(all - live)) perhaps dead" : ""
        html.element("span", "class=\"size\"", "\(HumanUnits.bytes(all))\(dead) · \(note)")
        html.raw("\n")
    }

    private func addValueFiles(_ files: [StoreLayout.ValueFile], _ html: inout HTML) {
        html.element("h3", "", "Value files")
        html.raw("<div class=\"bars\">\n")
        let most = max(files.map(\.bytes).max() ?? 1, 1)
        for file in files.sorted(by: { $0.bytes > $1.bytes }).prefix(16) {
            add(
                "file \(file.number)", live: min(file.referencedBytes, file.bytes), all: file.bytes, most,
                Percent.text(file.referencedBytes, of: file.bytes) + " referred to by segments", &html)
        }
        html.raw("</div>\n")
    }
}
