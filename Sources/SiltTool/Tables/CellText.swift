import Foundation
import TableKit

/// Converts column values to text and back.
enum CellText {
    /// A value as text for people and CSV; nil for NULL. Bytes are `\x` and hexadecimal digits, dates ISO 8601 in UTC.
    static func text(_ value: ColumnValue) -> String? {
        switch value {
        case .null: nil
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .real(let value): "\(value)"
        case .date(let value): ColumnDate.format(value)
        case .uuid(let value): value.uuidString
        case .text(let value), .json(let value): value
        case .bytes(let value): "\\x" + Hexadecimal.encode(value)
        }
    }

    /// A value as JSON. Values that JSON lacks, such as bytes and NaN, become strings, and so does text in a JSON column
    /// that is no JSON, which earlier releases stored.
    static func json(_ value: ColumnValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .real(let value) where value.isFinite: "\(value)"
        case .json(let value) where JSONGrammar.isValue(value): onOneLine(value)
        default: quoted(text(value) ?? "")
        }
    }

    /// JSON on one line. Line ends stand only between its tokens, where a space means the same.
    private static func onOneLine(_ json: String) -> String {
        guard json.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d }) else { return json }
        return String(String.UnicodeScalarView(json.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }))
    }

    // Like `HTML.escape`, but with other escapes. A shared loop would call a closure for each scalar of an export.
    /// A text as a JSON string.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20: quoted += "\\u00" + Hexadecimal.encode([UInt8(scalar.value)])
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Parses a cell of a file as a value of a column; nil if it is malformed.
    static func value(_ cell: ImportedCell, _ type: ColumnType) -> ColumnValue? {
        let text = cell.text
        switch type {
        case .string: return .text(text)
        case .json: return json(cell)
        case .bool:
            return switch text.lowercased() {
            case "true", "t", "yes", "1": .bool(true)
            case "false", "f", "no", "0": .bool(false)
            default: nil
            }
        case .float, .double: return NumberText.real(text, type).map(ColumnValue.real)
        case .uuid: return UUID(uuidString: text).map(ColumnValue.uuid)
        case .date: return ColumnDate.parse(text).map(ColumnValue.date)
        case .bytes: return bytes(text).map(ColumnValue.bytes)
        default:
            if let value = Int64(text) { return ColumnValue.integer(value).fitting(type) }
            return UInt64(text).flatMap { ColumnValue($0).fitting(type) }
        }
    }

    /// A nested value: JSON as it is in the file.
    private static func json(_ cell: ImportedCell) -> ColumnValue? {
        if cell.kind == .string { return .json(cell.token ?? quoted(cell.text)) }
        // The reader of JSON lines has checked nested values.
        return cell.kind == .nested || JSONCursor.isValue(cell.text) ? .json(cell.text) : nil
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        guard text.hasPrefix("\\x") else { return Array(text.utf8) }
        let digits = Array(text.utf8.dropFirst(2))
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Hexadecimal.value(of: digits[index]), let low = Hexadecimal.value(of: digits[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
