/// Draws tables as boxes with their columns, in rows, and foreign keys as arrows to keys.
///
/// Arrows run between boxes. An arrow to the next column of boxes is a curve. An arrow past other boxes runs through
/// the space between two rows of boxes.
struct RelationDrawing {
    private let tables: [TableSpace]

    private static let boxWidth = 200.0
    private static let gap = 70.0
    private static let line = 18.0
    private static let keyWidth = 18.0
    /// The space between two rows of boxes.
    private static let rowGap = 30.0
    /// The number of parallel arrows in the space between boxes, and their distance.
    private static let (lanes, laneWidth) = (4, 5.0)
    /// The most columns drawn in a box.
    private static let mostColumns = 12

    /// The number of boxes side by side.
    private let columns: Int

    /// - Parameter columns: the number of boxes side by side; one fits a phone.
    init(_ tables: [TableSpace], columns: Int) {
        self.tables = tables
        self.columns = columns
    }

    private struct Box {
        var x: Double
        var y: Double
        var height: Double
        /// The bottom of the row of boxes.
        var rowEnd = 0.0

        var right: Double { x + RelationDrawing.boxWidth }
    }

    /// An arrow from a line of one box to a line of another.
    private struct Arrow {
        let from: Box
        let to: Box
        let start: Double
        let end: Double

        /// Whether a box lies between the two.
        var passesBoxes: Bool { abs(from.x - to.x) > 1.5 * (RelationDrawing.boxWidth + RelationDrawing.gap) }
    }

    func add(to html: inout HTML) {
        let boxes = self.boxes
        let width = Double(min(columns, tables.count)) * (Self.boxWidth + Self.gap)
        let arrows = self.arrows(boxes)
        let room = arrows.contains { $0.passesBoxes } ? Self.rowGap : 10
        let height = (boxes.map { $0.y + $0.height }.max() ?? 0) + room
        html.raw(
            "<div class=\"relations \(columns == 1 ? "narrow" : "wide")\"><svg viewBox=\"0 0 \(Int(width)) \(Int(height))\" role=\"img\" "
        )
        html.raw("aria-label=\"relations\" style=\"max-width:\(Int(width))px\">\n<defs><marker id=\"\(head)\" ")
        html.raw("viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">")
        html.raw("<path d=\"M0 0 L8 4 L0 8 Z\" fill=\"var(--key)\"/></marker></defs>\n")
        for (table, box) in zip(tables, boxes) { add(table, box, to: &html) }
        var passing = 0
        for arrow in arrows {
            add(arrow.passesBoxes ? passingPath(arrow, lane: passing % Self.lanes) : path(arrow), to: &html)
            if arrow.passesBoxes { passing += 1 }
        }
        html.raw("</svg></div>\n")
    }

    /// The id of the arrow head. It differs between drawings, because a hidden drawing's marker is not shown elsewhere.
    private var head: String { "head\(columns)" }

    private func shown(_ table: TableSpace) -> [TableSpace.Column] {
        // If not all columns fit, keys come first: arrows start and end at them.
        if table.columns.count <= Self.mostColumns { return table.columns }
        let keys = table.columns.filter { $0.isKey || $0.references != nil }
        let rest = table.columns.filter { !$0.isKey && $0.references == nil }
        return Array((keys + rest).prefix(Self.mostColumns))
    }

    private var boxes: [Box] {
        var boxes: [Box] = []
        var y = 5.0
        for first in stride(from: 0, to: tables.count, by: columns) {
            let row = tables[first..<min(first + columns, tables.count)]
            let heights = row.map { 30 + Double(shown($0).count) * Self.line }
            let rowEnd = y + (heights.max() ?? 0)
            for (column, height) in heights.enumerated() {
                let x = 5 + Double(column) * (Self.boxWidth + Self.gap)
                boxes.append(Box(x: x, y: y, height: height, rowEnd: rowEnd))
            }
            y = rowEnd + Self.rowGap
        }
        return boxes
    }

    private func arrows(_ boxes: [Box]) -> [Arrow] {
        var arrows: [Arrow] = []
        for (number, table) in tables.enumerated() {
            for (row, column) in shown(table).enumerated() {
                guard let references = column.references,
                    let target = tables.firstIndex(where: {
                        references.hasPrefix($0.name + ".") || references == $0.name
                    })
                else { continue }
                let key = shown(tables[target]).firstIndex { $0.isKey } ?? 0
                arrows.append(
                    Arrow(
                        from: boxes[number], to: boxes[target],
                        start: boxes[number].y + 32 + Double(row) * Self.line,
                        end: boxes[target].y + 32 + Double(key) * Self.line))
            }
        }
        return arrows
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

    /// Draws a key. The character lost, because many fonts lack it.
    private func addKey(_ x: Double, _ y: Double, to html: inout HTML) {
        html.raw("<g class=\"key\" transform=\"translate(\(x) \(y))\"><title>key</title>")
        html.raw("<circle cx=\"3.5\" cy=\"-4\" r=\"2.75\"/><path d=\"M6.25 -4H13M10 -4v3M13 -4v3\"/></g>")
    }

    private func add(_ path: String, to html: inout HTML) {
        html.raw("<path class=\"arrow\" marker-end=\"url(#\(head))\" d=\"\(path)\"/>\n")
    }

    /// A curve to the near side of the next column of boxes, or around the right side of the same column.
    private func path(_ arrow: Arrow) -> String {
        let isSame = arrow.to.x == arrow.from.x
        let x1 = arrow.to.x < arrow.from.x ? arrow.from.x : arrow.from.right
        let x2 = arrow.to.x > arrow.from.x ? arrow.to.x : arrow.to.right
        let bend = isSame ? 45.0 : 0
        let c1 = x1 + (arrow.to.x < arrow.from.x ? -35 : 35) + bend
        let c2 = x2 + (arrow.to.x > arrow.from.x ? -35 : 35) + bend
        return "M\(x1) \(arrow.start) C\(c1) \(arrow.start) \(c2) \(arrow.end) \(x2) \(arrow.end)"
    }

    /// A line beside one box, between two rows of boxes, and beside the other box.
    private func passingPath(_ arrow: Arrow, lane: Int) -> String {
        let isRightward = arrow.to.x > arrow.from.x
        let direction = isRightward ? 1.0 : -1.0
        let aside = (18 + Double(lane) * Self.laneWidth) * direction
        let x1 = isRightward ? arrow.from.right : arrow.from.x
        let x2 = isRightward ? arrow.to.x : arrow.to.right
        let (g1, g2) = (x1 + aside, x2 - aside)
        // Below the upper of the two rows.
        let y = min(arrow.from.rowEnd, arrow.to.rowEnd) + 7 + Double(lane) * Self.laneWidth
        let (r1, r2) = (arrow.start < y ? 6.0 : -6.0, arrow.end > y ? 6.0 : -6.0)
        let corner = 6 * direction
        return "M\(x1) \(arrow.start) H\(g1 - corner) Q\(g1) \(arrow.start) \(g1) \(arrow.start + r1) V\(y - r1) "
            + "Q\(g1) \(y) \(g1 + corner) \(y) H\(g2 - corner) Q\(g2) \(y) \(g2) \(y + r2) "
            + "V\(arrow.end - r2) Q\(g2) \(arrow.end) \(g2 + corner) \(arrow.end) H\(x2)"
    }

    private func clipped(_ text: String, _ limit: Int) -> String {
        text.count > limit ? text.prefix(limit - 1) + "…" : text
    }
}
