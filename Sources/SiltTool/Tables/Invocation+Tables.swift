import Siltstone
import SiltstoneTables
import TableKit

extension Invocation {
    /// Runs `body` with the tables of the store, opened read-only without changes on disk.
    func readingTables<R>(_ body: (any TableEngine, KeyValueStore) throws -> R) throws -> R {
        try reading { try body(SiltstoneDatabaseConfiguration(store: $0).engine, $0) }
    }

    /// Runs `body` with the tables of the store, opened for writing.
    func writingTables<R>(_ body: (any TableEngine) throws -> R) throws -> R {
        try writing { try body(SiltstoneDatabaseConfiguration(store: $0).engine) }
    }

    /// The format of rows: from `--format`, otherwise from the file's extension, otherwise CSV.
    /// - Parameter option: `--format` as the command has it.
    func rowFormat(_ file: String?, _ option: Option = .rowFormat) throws(ToolError) -> ImportedRows.Format {
        if let name = value(option) {
            guard let format = ImportedRows.Format(rawValue: name) else {
                throw usage("--format takes csv or jsonl, not '\(name)'")
            }
            return format
        }
        let isLines = ["jsonl", "ndjson", "json"].contains { file?.hasSuffix("." + $0) ?? false }
        return isLines ? .jsonl : .csv
    }
}

extension Option {
    static let rowFormat = Option(
        "format", letter: "f", argument: "FORMAT", "csv or jsonl (JSON lines); else as the name of FILE ends")
    /// `--format` of a command without FILE.
    static let printedRowFormat = Option(
        "format", letter: "f", argument: "FORMAT", "csv (the default) or jsonl (JSON lines)")
}

extension TableEngine {
    /// Runs `body` on one snapshot of the tables.
    func reading<R>(_ body: (any TableSession) throws -> R) throws -> R {
        let session = try beginRead()
        defer { session.rollback() }
        return try body(session)
    }
}
