import TableKit

/// Formats rows as aligned columns for people. The first rows set the widths; wider cells below them are not cut.
struct TableText {
    /// The most rows that set the widths.
    static let sampleRows = 1000
    /// The most characters shown of a cell.
    private static let mostCharacters = 60

    private let columns: [String]
    private let isRight: [Bool]
    private let widths: [Int]

    /// - Parameters:
    ///   - sample: the first rows.
    ///   - rightColumns: text columns to align like numbers.
    init(columns: [String], sample: [[ColumnValue]], rightColumns: Set<Int> = []) {
        self.columns = columns.map(Escaping.printable)
        var widths = self.columns.map(\.count)
        var isRight = columns.map { _ in !sample.isEmpty }
        for row in sample {
            for (index, value) in row.enumerated() where index < widths.count {
                widths[index] = max(widths[index], Self.cell(value).count)
                if !value.isNull, !Self.isNumber(value), !rightColumns.contains(index) { isRight[index] = false }
            }
        }
        self.widths = widths
        self.isRight = isRight
    }

    /// The column names and a rule below them.
    var header: String {
        line(columns) + "\n" + widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ") + "\n"
    }

    /// A row as a line.
    func row(_ values: [ColumnValue]) -> String { line(values.map(Self.cell)) + "\n" }

    private func line(_ cells: [String]) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { text += "  " }
            let width = index < widths.count ? widths[index] : 0
            let isLast = index == cells.count - 1
            text += isRight[index] ? cell.indented(to: width) : isLast ? cell : cell.padded(to: width)
        }
        return text
    }

    private static func cell(_ value: ColumnValue) -> String {
        guard let text = CellText.text(value) else { return "NULL" }
        var shown = ""
        for character in text.prefix(mostCharacters) {
            let isControl = character.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
            shown +=
                isControl ? (character == "\n" ? "\\n" : character == "\t" ? "\\t" : "\u{fffd}") : String(character)
        }
        return text.count > mostCharacters ? shown + "…" : shown
    }

    private static func isNumber(_ value: ColumnValue) -> Bool {
        switch value {
        case .integer, .unsigned, .real: true
        default: false
        }
    }
}
