import TableKit

/// Reads comma-separated values (RFC 4180). Quoted fields may contain commas, line feeds and doubled quotes.
///
/// Lines may end in a carriage return and a line feed. A byte order mark before the first line is skipped.
struct CSVReader: ~Copyable {
    /// One field. `import` reads an empty field without quotes as NULL.
    struct Field: Hashable {
        var text: String
        var isQuoted: Bool
    }

    private var lines: LineReader
    private let source: String
    /// The number of the first line of the last record, from 1.
    private(set) var lineNumber = 0
    /// Whether a blank line is a record of one empty field, as in a file with one column.
    var areBlankLinesRows = false

    init(_ lines: consuming LineReader, source: String) {
        self.lines = lines
        self.source = source
    }

    /// The number of bytes read from the input.
    var bytesRead: Int { lines.bytesRead }

    /// The fields of the next record; nil at the end. Skips blank lines unless ``areBlankLinesRows``.
    /// - Throws: ``ToolError`` with the line, ``SystemError``.
    mutating func next() throws -> [Field]? {
        var fields: [Field] = []
        var text: [UInt8] = []
        var isQuoted = false
        var isOpen = false
        while let line = try lines.next() {
            var bytes = line
            if lines.lineNumber == 1 { bytes = bytes.withoutByteOrderMark }
            if !isOpen {
                if bytes.isEmpty || Self.isReturn(bytes), !areBlankLinesRows { continue }
                lineNumber = lines.lineNumber
            }
            try read(bytes, &fields, &text, &isQuoted, &isOpen)
            if isOpen {
                text.append(UInt8(ascii: "\n"))
                continue
            }
            fields.append(try field(text, isQuoted))
            return fields
        }
        if isOpen { throw problem("a quote is not closed") }
        return nil
    }

    /// Whether a line is blank but for the carriage return at its end.
    private static func isReturn(_ line: Bytes) -> Bool { line.count == 1 && line[0] == UInt8(ascii: "\r") }

    /// Reads the fields of one line. The last one stays in `text`. A carriage return at the end belongs to the end of
    /// the line, unless a quote is open there.
    private func read(
        _ line: Bytes, _ fields: inout [Field], _ text: inout [UInt8], _ isQuoted: inout Bool, _ isOpen: inout Bool
    ) throws {
        var index = 0
        while index < line.count {
            let byte = line[index]
            index += 1
            if isOpen {
                if byte != UInt8(ascii: "\"") {
                    text.append(byte)
                } else if index < line.count, line[index] == byte {
                    text.append(byte)
                    index += 1
                } else {
                    isOpen = false
                }
            } else if byte == UInt8(ascii: "\r"), index == line.count {
                return
            } else if byte == UInt8(ascii: ",") {
                fields.append(try field(text, isQuoted))
                text.removeAll(keepingCapacity: true)
                isQuoted = false
            } else if byte == UInt8(ascii: "\"") {
                guard text.isEmpty, !isQuoted else {
                    throw problem("a quote within a field that does not begin with one")
                }
                (isQuoted, isOpen) = (true, true)
            } else if isQuoted {
                throw problem("text behind a closing quote")
            } else {
                text.append(byte)
            }
        }
    }

    private func field(_ bytes: [UInt8], _ isQuoted: Bool) throws -> Field {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw problem("not valid UTF-8\(ImportedRows.encodingHint)")
        }
        return Field(text: text, isQuoted: isQuoted)
    }

    private func problem(_ reason: String) -> ToolError {
        ToolError(.usage, "\(source):\(lines.lineNumber): \(reason)")
    }

    /// Formats a field. Quotes it if it needs quotes, or if it is empty and not NULL. Behind a quote, a byte order mark
    /// is text.
    static func written(_ text: String?) -> String {
        guard let text else { return "" }
        let needsQuotes =
            text.isEmpty || text.unicodeScalars.first == "\u{feff}" || text.hasPrefix(" ") || text.hasSuffix(" ")
            || text.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 0x0a || $0 == 0x0d }
        return needsQuotes ? text.quoted(by: "\"") : text
    }
}
