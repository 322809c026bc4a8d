/// Tables as boxes with their columns, in rows, and arrows from foreign keys to keys.
struct RelationDrawing {
    private let tables: [TableSpace]

    private static let boxWidth = 200.0
    private static let gap = 70.0
    private static let line = 18.0
    private static let keyWidth = 18.0
    /// Columns of a box that are drawn.
    private static let mostColumns = 12

    /// Boxes beside each other.
    private let columns: Int

    /// - Parameter columns: boxes beside each other: one fits a phone.
    init(_ tables: [TableSpace], columns: Int) {
        self.tables = tables
        self.columns = columns
    }

    private struct Box {
        var x: Double
        var y: Double
        var height: Double
    }

    func add(to html: inout HTML) {
        let boxes = self.boxes
        let width = Double(min(columns, tables.count)) * (Self.boxWidth + Self.gap)
        let height = (boxes.map { $0.y + $0.height }.max() ?? 0) + 10
        html.raw(
            "<div class=\"relations \(columns == 1 ? "narrow" : "wide")\"><svg viewBox=\"0 0 \(Int(width)) \(Int(height))\" role=\"img\" "
        )
        html.raw("aria-label=\"relations\" style=\"max-width:\(Int(width))px\">\n<defs><marker id=\"\(head)\" ")
        html.raw("viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">")
        html.raw("<path d=\"M0 0 L8 4 L0 8 Z\" fill=\"var(--key)\"/></marker></defs>\n")
        for (table, box) in zip(tables, boxes) { add(table, box, to: &html) }
        for (number, table) in tables.enumerated() {
            for (row, column) in shown(table).enumerated() { addArrow(number, row, column, boxes, to: &html) }
        }
        html.raw("</svg></div>\n")
    }

    /// The arrow's head. A name for each drawing: one that is not shown lends no head to others.
    private var head: String { "head\(columns)" }

    private func shown(_ table: TableSpace) -> [TableSpace.Column] {
        // Keys first where not all fit: they are what arrows begin at and lead to.
        if table.columns.count <= Self.mostColumns { return table.columns }
        let keys = table.columns.filter { $0.isKey || $0.references != nil }
        let rest = table.columns.filter { !$0.isKey && $0.references == nil }
        return Array((keys + rest).prefix(Self.mostColumns))
    }

    private var boxes: [Box] {
        var boxes: [Box] = []
        var y = 5.0
        var rowHeight = 0.0
        for (number, table) in tables.enumerated() {
            let column = number % columns
            if column == 0, number > 0 {
                y += rowHeight + 30
                rowHeight = 0
            }
            let height = 30 + Double(shown(table).count) * Self.line
            boxes.append(Box(x: 5 + Double(column) * (Self.boxWidth + Self.gap), y: y, height: height))
            rowHeight = max(rowHeight, height)
        }
        return boxes
    }

    private func add(_ table: TableSpace, _ box: Box, to html: inout HTML) {
        html.raw("<rect class=\"box\" x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(Self.boxWidth)\" ")
        html.raw("height=\"\(box.height)\" rx=\"6\"/>")
        html.raw("<text class=\"title\" x=\"\(box.x + 10)\" y=\"\(box.y + 18)\">")
        html.escaped(clipped(table.name, 24))
        html.raw("</text>\n")
        for (row, column) in shown(table).enumerated() {
            let y = box.y + 36 + Double(row) * Self.line
            if column.isKey { addKey(box.x + 10, y, to: &html) }
            html.raw("<text x=\"\(box.x + 10 + (column.isKey ? Self.keyWidth : 0))\" y=\"\(y)\">")
            html.escaped(clipped(column.name, column.isKey ? 15 : 18))
            html.raw("</text><text x=\"\(box.x + Self.boxWidth - 10)\" y=\"\(y)\" text-anchor=\"end\">")
            html.escaped(column.type + (column.isOptional ? "?" : ""))
            html.raw("</text>\n")
        }
    }

    /// Draws a key. Fonts often lack the character.
    private func addKey(_ x: Double, _ y: Double, to html: inout HTML) {
        html.raw("<g class=\"key\" transform=\"translate(\(x) \(y))\"><title>key</title>")
        html.raw("<circle cx=\"3.5\" cy=\"-4\" r=\"2.75\"/><path d=\"M6.25 -4H13M10 -4v3M13 -4v3\"/></g>")
    }

    private func addArrow(
        _ from: Int, _ row: Int, _ column: TableSpace.Column, _ boxes: [Box], to html: inout HTML
    ) {
        guard let references = column.references,
            let target = tables.firstIndex(where: { references.hasPrefix($0.name + ".") || references == $0.name })
        else { return }
        let key = shown(tables[target]).firstIndex { $0.isKey } ?? 0
        let y1 = boxes[from].y + 32 + Double(row) * Self.line
        let y2 = boxes[target].y + 32 + Double(key) * Self.line
        let leftward = boxes[target].x < boxes[from].x
        let x1 = leftward ? boxes[from].x : boxes[from].x + Self.boxWidth
        // To the near side of another column of boxes; within one, around the right side.
        let x2 = boxes[target].x > boxes[from].x ? boxes[target].x : boxes[target].x + Self.boxWidth
        let bend = boxes[target].x == boxes[from].x ? 45.0 : 0
        let c1 = x1 + (leftward ? -35 : 35) + bend, c2 = x2 + (boxes[target].x > boxes[from].x ? -35 : 35) + bend
        html.raw(
            "<path class=\"arrow\" marker-end=\"url(#\(head))\" d=\"M\(x1) \(y1) C\(c1) \(y1) \(c2) \(y2) \(x2) \(y2)\"/>\n"
        )
    }

    private func clipped(_ text: String, _ limit: Int) -> String {
        text.count > limit ? text.prefix(limit - 1) + "…" : text
    }
}
