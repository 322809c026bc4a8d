import Siltstone

/// The page of `silt report`: one file that contains its style and drawings, without scripts.
struct ReportPage {
    let report: StoreReport

    /// The complete page.
    var text: String {
        var html = HTML()
        html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        html.element("title", "", "\(name) - Siltstone store")
        html.raw("\n<style>\n\(ReportStyle.text)</style>\n</head>\n<body>\n<header>\n")
        html.element("h1", "", name)
        html.element("p", "class=\"path\"", report.path)
        html.raw("\n</header>\n<main>\n")
        addFigures(&html)
        LevelDrawing(report.layout).add(to: &html)
        SpaceSection(report).add(to: &html)
        FilesSection(report).add(to: &html)
        TablesSection(report.tables).add(to: &html)
        html.raw("</main>\n</body>\n</html>\n")
        return html.text
    }

    private var name: String { report.path.split(separator: "/").last.map(String.init) ?? report.path }

    private func addFigures(_ html: inout HTML) {
        let statistics = report.statistics
        html.raw("<section class=\"figures\">\n")
        let figures: [(String, String, String)] = [
            ("on disk", HumanUnits.bytes(statistics.diskBytes), "segments, values and logs"),
            ("records", HumanUnits.count(statistics.segmentRecords + statistics.memTableRecords), "versions of keys"),
            (
                "tables", HumanUnits.count(report.tables.count),
                report.tables.isEmpty ? "keys alone" : "with indexes below"
            ),
            ("read", "\(statistics.readAmplification)×", "sorted runs and memtables to search"),
            (
                "write", statistics.changedBytes > 0 ? HumanUnits.decimal(statistics.writeAmplification) + "×" : "–",
                statistics.changedBytes > 0 ? "bytes written for each given" : "counted while a store is open"
            ),
            (
                "space", HumanUnits.decimal(statistics.spaceAmplification) + "×",
                "bytes on disk for each counted as live"
            ),
        ]
        for (label, value, note) in figures {
            html.raw("<div>")
            html.element("span", "class=\"label\"", label)
            html.element("strong", "", value)
            html.element("span", "class=\"note\"", note)
            html.raw("</div>\n")
        }
        html.raw("</section>\n")
    }
}
