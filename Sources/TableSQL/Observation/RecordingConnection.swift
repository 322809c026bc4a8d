import TableKit

/// The statements of an observed read and their results.
struct RecordedRead: Sendable {
    /// A statement and the digest of its rows.
    struct Entry: Sendable {
        var statement: SQLStatement
        var digest: Int
    }

    var entries: [Entry] = []

    /// Whether the statements return the same rows again. Rows without an order may come in another one, which counts
    /// as a change.
    func isSame(on connection: any SQLConnection) throws -> Bool {
        for entry in entries {
            var digest = RowDigest()
            digest.add(try connection.execute(entry.statement).rows)
            if digest.value != entry.digest { return false }
        }
        return true
    }
}

/// A digest of rows, valid within this process only.
struct RowDigest {
    private var hasher = Hasher()

    mutating func add(_ rows: [[ColumnValue]]) {
        for row in rows { hasher.combine(ValueTuple(row)) }
    }

    var value: Int { hasher.finalize() }
}

/// Forwards everything, and records the results of `execute` and `open`.
///
/// Look-ups use the protocol's general form, which calls `execute`: so their results are recorded too. Every other
/// member is forwarded: with a default of the protocol, the connection would keep a cancellation or old plans for its
/// next user.
final class RecordingConnection: SQLConnection, @unchecked Sendable {
    // `@unchecked Sendable`: used by one thread at a time, as the protocol demands.
    let base: any SQLConnection
    private var entries: [RecordedRead.Entry] = []
    private var results: [RecordedRows] = []

    init(_ base: any SQLConnection) { self.base = base }

    /// The reads so far. The digest of an unfinished result covers the rows read, so the result counts as changed.
    var recorded: RecordedRead {
        RecordedRead(
            entries: entries + results.map { RecordedRead.Entry(statement: $0.statement, digest: $0.digest.value) })
    }

    var isUsable: Bool { base.isUsable }

    var needsCheck: Bool { base.needsCheck }

    func execute(_ statement: SQLStatement) throws -> SQLResultSet {
        let result = try base.execute(statement)
        if !statement.results.isEmpty {
            var digest = RowDigest()
            digest.add(result.rows)
            entries.append(RecordedRead.Entry(statement: statement, digest: digest.value))
        }
        return result
    }

    func executeAll(_ statements: [SQLStatement]) throws -> [SQLResultSet] { try base.executeAll(statements) }

    func executeLater(_ statement: SQLStatement) throws { try base.executeLater(statement) }

    func executeWithoutWaiting(_ statement: SQLStatement) throws { try base.executeWithoutWaiting(statement) }

    func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows {
        let rows = RecordedRows(statement, try base.open(statement, batchRows: batchRows))
        results.append(rows)
        return rows
    }

    func usePlans(ofGeneration generation: Int) { base.usePlans(ofGeneration: generation) }

    func cancel() { base.cancel() }

    func forgetCancellation() { base.forgetCancellation() }

    func close() { base.close() }
}

/// Forwards rows and adds them to a digest.
private final class RecordedRows: SQLRows {
    let statement: SQLStatement
    private(set) var digest = RowDigest()
    private let base: any SQLRows

    init(_ statement: SQLStatement, _ base: any SQLRows) {
        self.statement = statement
        self.base = base
    }

    func next() throws -> [[ColumnValue]]? {
        let rows = try base.next()
        digest.add(rows ?? [])
        return rows
    }

    func close() { base.close() }
}
