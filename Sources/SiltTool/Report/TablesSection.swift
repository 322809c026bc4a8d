/// The tables: a drawing of their relations, then columns and first rows of each.
struct TablesSection {
    private let tables: [TableSpace]

    init(_ tables: [TableSpace]) { self.tables = tables }

    func add(to html: inout HTML) {
        guard !tables.isEmpty else { return }
        html.raw("<section id=\"relations\">\n")
        html.element("h2", "", "Tables and their relations")
        html.element("p", "class=\"hint\"", "An arrow leads from a foreign key to the key that it refers to.")
        // The style shows one of the two, depending on the width of the page.
        RelationDrawing(tables, columns: 3).add(to: &html)
        RelationDrawing(tables, columns: 1).add(to: &html)
        html.raw("</section>\n")
        for table in tables { add(table, &html) }
    }

    private func add(_ table: TableSpace, _ html: inout HTML) {
        html.raw("<section class=\"table\">\n")
        html.element("h2", "", table.name)
        let rows = table.parts.first { $0.index == nil }
        let indexes = table.parts.compactMap { part in part.indexName.map { "(\($0))\(part.isUnique ? " unique" : "")" }
        }
        html.element(
            "p", "class=\"hint\"",
            "about \(HumanUnits.count(rows?.entries ?? 0, "row"))"
                + (indexes.isEmpty ? "" : "; indexes " + indexes.joined(separator: ", ")))
        html.raw("<div class=\"scroll\"><table>\n<tr>")
        for column in table.columns {
            html.raw("<th>")
            html.escaped(column.name)
            if column.isKey { html.raw("<span class=\"tag\">key</span>") }
            html.raw("<br><code>")
            html.escaped(column.type + (column.isOptional ? "?" : ""))
            html.raw("</code></th>")
        }
        html.raw("</tr>\n")
        for row in table.sample {
            html.raw("<tr>")
            for cell in row {
                if let cell { html.element("td", "", cell) } else { html.raw("<td class=\"null\">NULL</td>") }
            }
            html.raw("</tr>\n")
        }
        html.raw("</table></div>\n")
        if table.sample.isEmpty { html.element("p", "class=\"hint\"", "No rows.") }
        html.raw("</section>\n")
    }
}
