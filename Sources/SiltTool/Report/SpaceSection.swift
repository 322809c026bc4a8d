import Siltstone

/// Bars of the space of tables, indexes and prefixes of other keys.
struct SpaceSection {
    private struct Row {
        var name: String
        var tag: String?
        var entries: Int
        var bytes: Int
        var style: String
    }

    private let rows: [Row]

    init(_ report: StoreReport) {
        var rows: [Row] = []
        for table in report.tables {
            for part in table.parts {
                let isRows = part.index == nil
                rows.append(
                    Row(
                        name: table.name + (part.indexName.map { " (\($0))" } ?? ""),
                        tag: isRows ? "table" : part.isUnique ? "unique index" : "index", entries: part.entries,
                        bytes: part.bytes, style: isRows ? "" : "index"))
            }
        }
        let allKeys = report.tables.isEmpty ? "all keys" : "all other keys"
        for group in report.prefixes {
            let name = HTML.key(group.name) + (group.isSingle ? "" : "…")
            rows.append(
                Row(
                    name: group.name.isEmpty ? (group.isSingle ? "the empty key" : allKeys) : name, tag: nil,
                    entries: group.estimate.entries, bytes: group.estimate.bytes, style: ""))
        }
        self.rows = rows.sorted { $0.bytes > $1.bytes }
    }

    func add(to html: inout HTML) {
        html.raw("<section id=\"space\">\n")
        html.element("h2", "", "Space by table, index and prefix")
        html.element(
            "p", "class=\"hint\"", rows.isEmpty ? "The store is empty." : "Keys and values as they are read, estimated."
        )
        html.raw("<div class=\"bars\">\n")
        let most = max(rows.first?.bytes ?? 1, 1)
        for row in rows {
            html.raw("<span class=\"name\">")
            html.element("code", "", row.name)
            if let tag = row.tag { html.element("span", "class=\"tag\"", tag) }
            html.raw("</span><span class=\"bar\"><i class=\"\(row.style)\" ")
            html.raw("style=\"width:\(Percent.text(row.bytes, of: most))\"></i></span>")
            let count = HumanUnits.count(row.entries, row.entries == 1 ? "entry" : "entrie")
            html.element("span", "class=\"size\"", "\(HumanUnits.bytes(row.bytes)) · \(count)")
            html.raw("\n")
        }
        html.raw("</div>\n</section>\n")
    }
}

/// Percentages for styles.
enum Percent {
    /// `12.5%`.
    static func text(_ part: Int, of whole: Int) -> String {
        whole > 0 ? HumanUnits.decimal(min(100 * Double(part) / Double(whole), 100)) + "%" : "0%"
    }
}
