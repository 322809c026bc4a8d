/// A key and a value as borrowed bytes.
struct RawRecord {
    var key: Bytes
    var value: Bytes
}

/// The text formats of `load` and `dump`.
enum RecordFormat: String, CaseIterable, Sendable {
    /// One JSON object a line: ``JSONLinesReader``.
    case jsonLines = "json"
    /// Key, tab, value: ``TSVReader``.
    case tabSeparated = "tsv"
}

/// Reads records in either format.
struct RecordReader: ~Copyable {
    private let format: RecordFormat
    private var json = JSONLinesReader()
    private var tsv = TSVReader()
    /// True before the first line. JSON may have a byte order mark there. In TSV, a key may begin with its bytes.
    private var isAtStart = true

    init(_ format: RecordFormat) { self.format = format }

    /// Parses a line; nil for a blank one.
    @inline(__always)
    mutating func parse(_ line: Bytes) throws(FormatError) -> RawRecord? {
        switch format {
        case .jsonLines:
            if isAtStart {
                isAtStart = false
                return try json.parse(line.withoutByteOrderMark)
            }
            return try json.parse(line)
        case .tabSeparated: return try tsv.parse(line)
        }
    }
}
