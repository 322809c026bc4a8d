import Siltstone

extension Option {
    fileprivate static let partial = Option("partial", "one pass: load what comes before a broken line")
    fileprivate static let sync = Option("sync", "bring every batch of 1 MiB to stable storage, not only the last")
}

extension Command {
    static let load = Command(
        name: "load", operands: "STORE [FILE]", summary: "store the records of a file or of standard input",
        discussion: """
            Reads records, one a line, from FILE, or from standard input where FILE is missing or
            '-': JSON objects with a key (or key_base64) and a value (or value_base64), or, with
            --format tsv, key, tab and value. 'silt dump' prints both. The store is made where it
            is missing; a key that is there already takes the new value.

            A broken line loads nothing: all of the input is checked before the first record is
            stored. For that a file is read twice, and what comes through a pipe is kept in a
            temporary file in TMPDIR, or in /var/tmp. With --partial neither is needed, and the
            records before the broken line stay. An error of the store itself, such as a full
            disk, leaves the records that were stored before it; to load again does no harm.
            When the command returns, everything is on stable storage.
            """,
        options: [.format, .partial, .sync, .json, .quiet],
        examples: [
            "silt load people.silt people.jsonl",
            "silt dump people.silt | silt load copy.silt",
            "printf 'ada\\tAda Lovelace\\n' | silt load --format tsv people.silt",
        ],
        run: { try Load($0).run() })
}

/// The report of `load`.
private struct LoadReport: Encodable {
    var records = 0
    var keyBytes = 0
    var valueBytes = 0
    var inputBytes = 0
    var seconds = 0.0
}

/// One run of `load`.
private struct Load {
    /// The size of a batch. Large enough to make the cost of a write negligible, small enough to stay in cache.
    private static let batchBytes = 1 << 20

    private let invocation: Invocation
    private let format: RecordFormat
    private let isPartial: Bool

    init(_ invocation: Invocation) throws(ToolError) {
        self.invocation = invocation
        format = try invocation.format()
        isPartial = invocation.has(.partial)
    }

    func run() throws -> ExitCode {
        let started = System.seconds
        // An existing store is opened before the input is read: a long input must not be read in vain. A missing store
        // is created only after the input has been checked.
        var report: LoadReport
        if let store = try invocation.openExisting() {
            report = try store.closing { try load(try source(), $0) }
        } else {
            let source = try source()
            report = try invocation.writing(createIfMissing: true) { try load(source, $0) }
        }
        report.seconds = System.seconds - started
        try show(report)
        return .success
    }

    /// The input, checked unless `--partial` was given.
    private func source() throws -> InputSource {
        let source = try InputSource(invocation.operand(1))
        return isPartial ? source : try check(source)
    }

    /// Reads the whole input without storing anything.
    /// - Returns: the checked input, rewound; for a pipe, its copy in a temporary file.
    /// - Throws: ``ToolError`` for the first broken line.
    private func check(_ source: InputSource) throws -> InputSource {
        let copy = source.bytes == nil ? try System.temporaryFile() : nil
        let bytes: Int
        do {
            bytes = try forEachRecord("check", source, copyingTo: copy) { _ in }
        } catch let error as BrokenLine {
            throw ToolError(.usage, error.description + "; nothing was loaded")
        }
        let checked = copy.map { InputSource(descriptor: $0, name: source.name, bytes: bytes) } ?? source
        try System.rewind(checked.descriptor, by: bytes, name: copy == nil ? source.name : "a temporary file")
        return checked
    }

    /// Stores the input, up to a broken line or a failure, and syncs the store.
    private func load(_ source: InputSource, _ store: KeyValueStore) throws -> LoadReport {
        var report = LoadReport()
        do {
            let brokenLine = try write(source, store, &report)
            try store.sync()
            if let brokenLine {
                throw ToolError(.usage, "\(brokenLine.description); records loaded before it: \(report.records)")
            }
        } catch let error as StoreError {
            let place = error.file.map { " [\($0)]" } ?? ""
            throw ToolError(
                ExitCode(error.code), "\(error.message)\(place); records loaded before that: \(report.records)")
        }
        return report
    }

    /// Writes the records in batches.
    /// - Returns: the broken line that ended the input: with `--partial`, or if the file has changed since the check.
    private func write(
        _ source: InputSource, _ store: KeyValueStore, _ report: inout LoadReport
    ) throws -> BrokenLine? {
        let durability: Durability = invocation.has(.sync) ? .synced : .buffered
        var batch = WriteBatch()
        func writeBatch() throws(StoreError) {
            if batch.count > 0 { try store.write(batch, durability: durability) }
            report.records += batch.count
            batch.removeAll()
        }
        var brokenLine: BrokenLine?
        do {
            report.inputBytes = try forEachRecord("load", source) { record in
                batch.put(record.key, record.value)
                report.keyBytes += record.key.count
                report.valueBytes += record.value.count
                if batch.byteCount >= Self.batchBytes { try writeBatch() }
            }
        } catch let error as BrokenLine {
            brokenLine = error
        }
        try writeBatch()
        return brokenLine
    }

    /// Reads the input once.
    /// - Returns: the number of bytes read.
    /// - Throws: ``BrokenLine``, ``SystemError``, and errors of `body`.
    private func forEachRecord(
        _ label: String, _ source: InputSource, copyingTo copy: Int32? = nil, _ body: (RawRecord) throws -> Void
    ) throws -> Int {
        var lines = LineReader(source.descriptor, name: source.name, copyingTo: copy)
        var reader = RecordReader(format)
        var records = 0
        let progress = Progress(label, totalBytes: source.bytes, isQuiet: invocation.has(.quiet))
        while let line = try lines.next() {
            do {
                guard let record = try reader.parse(line) else { continue }
                try checkLimits(record)
                try body(record)
            } catch let error as FormatError {
                throw BrokenLine(source: source.name, line: lines.lineNumber, error: error)
            }
            records &+= 1
            if records & 0xfff == 0 { progress.update(bytes: lines.bytesRead, records: records) }
        }
        progress.finish()
        return lines.bytesRead
    }

    /// Finds records over the store's limits in the first pass already.
    @inline(__always)
    private func checkLimits(_ record: RawRecord) throws(FormatError) {
        if record.key.count > Limits.keyBytes {
            throw FormatError(
                "a key of \(record.key.count) bytes; the limit is \(Limits.keyBytes)", at: 0)
        }
        if record.value.count > Limits.valueBytes {
            throw FormatError(
                "a value of \(record.value.count) bytes; the limit is \(Limits.valueBytes)", at: 0)
        }
    }

    private func show(_ report: LoadReport) throws {
        if invocation.has(.json) {
            try JSONReport.print(report)
        } else if !invocation.has(.quiet) {
            let records = HumanUnits.count(report.records, "record")
            let input = HumanUnits.bytes(report.inputBytes)
            try Terminal.print("loaded \(records) from \(input) in \(HumanUnits.duration(report.seconds))\n")
        }
    }
}

/// A line of the input that is not a record.
private struct BrokenLine: Error {
    var source: String
    var line: Int
    var error: FormatError

    /// In the format of compilers, so that editors find the line.
    var description: String { "\(source):\(line):\(error.column): \(error.reason)" }
}
