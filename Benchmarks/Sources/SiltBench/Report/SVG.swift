/// Pieces of SVG, drawn in units of CSS pixels; colours come from the page's style, by class.
enum SVG {
    static func picture(width: Double, height: Double, _ content: String) -> String {
        """
        <svg viewBox="0 0 \(number(width)) \(number(height))" role="img">\(content)</svg>
        """
    }

    static func text(_ content: String, x: Double, y: Double, _ name: String = "") -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" class=\"\(name)\">\(HTML.escaped(content))</text>"
    }

    static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ name: String) -> String {
        """
        <line x1="\(number(x1))" y1="\(number(y1))" x2="\(number(x2))" y2="\(number(y2))" class="\(name)"/>
        """
    }

    static func path(_ points: [(x: Double, y: Double)], _ name: String, title: String) -> String {
        let text = points.map { "\(number($0.x)) \(number($0.y))" }.joined(separator: "L")
        return "<path d=\"M\(text)\" class=\"\(name)\"><title>\(HTML.escaped(title))</title></path>"
    }

    /// A tenth of a pixel is fine enough.
    static func number(_ value: Double) -> String { Format.digits(value, 1) }
}

/// Horizontal bars.
enum BarChart {
    /// One bar, its name before it and its value behind.
    static func bar(
        _ title: String, _ engine: EngineKind, _ summary: Summary, x: Double, y: Double, width: Double, height: Double,
        scale: Double
    ) -> String {
        let length = max(1, summary.value / scale * width)
        let middle = y + height / 2
        var parts = [
            SVG.text(title, x: x - 6, y: middle + 4, "end"),
            """
            <rect x="\(SVG.number(x))" y="\(SVG.number(y + 4))" width="\(SVG.number(length))" \
            height="\(SVG.number(height - 8))" class="\(engine.rawValue)"/>
            """,
        ]
        if summary.measurements.count > 1 {
            let (from, to) = (x + summary.minimum / scale * width, x + summary.maximum / scale * width)
            parts.append(SVG.line(from, middle, to, middle, "range"))
        }
        let end = x + max(length, summary.measurements.count > 1 ? summary.maximum / scale * width : 0)
        parts.append(
            SVG.text(
                Format.value(summary.value, summary.typical?.unit ?? .operationsPerSecond), x: end + 6, y: middle + 4))
        return parts.joined()
    }
}
