import TableKit

/// The progress of a move: a table in the target, updated in the transactions that store rows. After an interruption
/// the next run continues behind the last committed row.
///
/// Each update expects the progress that the run knows. Of two runs at a time, the one that comes late stops.
struct MoveLedger {
    /// The name of the table, which is dropped when the move is done.
    static let tableName = "silt_move"

    /// The progress of one table or repository.
    enum Phase: Int64 {
        /// Nothing is stored.
        case waiting
        /// Rows are being stored.
        case rows
        /// Rows are stored; references in circles are being set.
        case references
        /// Everything is stored; indexes are missing.
        case indexes
        /// Everything is done.
        case done
    }

    /// One table or repository.
    struct Entry {
        let number: Int64
        let isRepository: Bool
        let name: String
        var phase: Phase
        /// The number of stored rows.
        var rows: Int
        /// The last stored row of the source, behind which the phase continues. Empty: at the start.
        var position: [UInt8]
        /// Whether the move has made the table, or was about to. Nil if an earlier release began the move: it
        /// stored no such thing.
        var isMade: Bool? = false
    }

    private static let structure = TableStructure(
        name: tableName, columns: firstStructure.columns + [made], primaryKey: firstStructure.primaryKey)

    private static let made = Column("made", .bool, isOptional: true)

    /// The table as earlier releases make it.
    static let firstStructure = TableStructure(
        name: tableName,
        columns: [
            Column("number", .int64), Column("isRepository", .bool), Column("name", .bytes), Column("phase", .int64),
            Column("rows", .int64), Column("position", .bytes),
        ], primaryKey: [0])

    /// The number of the row whose name is the origin.
    private static let originNumber: Int64 = -1

    /// The source of the move.
    let origin: String
    var entries: [Entry]
    /// Whether the table lacks the column ``made``: an earlier release began the move.
    private let isOld: Bool

    /// Whether a table with the ledger's name has its columns, and is not another program's.
    static func isLedger(_ table: TableStructure) -> Bool {
        firstStructure.columns.allSatisfy { table.number(of: $0.name) != nil }
    }

    /// Reads the ledger of a target; nil if no move is unfinished.
    /// - Throws: ``ToolError`` if another program's table has the ledger's name.
    init?(_ session: any TableSession) throws {
        guard let found = try session.table(named: Self.tableName)?.structure else { return nil }
        if !Self.isLedger(found) {
            throw ToolError(
                .usage,
                "the target has a table \(Self.tableName) that no move has made; rename it, since a move needs the name"
            )
        }
        isOld = found.number(of: Self.made.name) == nil
        var origin = ""
        var entries: [Entry] = []
        try session.forEachRow(Query(isOld ? Self.firstStructure : Self.structure)) { row in
            guard case .integer(let number) = row[0], case .bytes(let name) = row[2] else { return }
            let text = String(decoding: name, as: UTF8.self)
            if number == Self.originNumber { return origin = text }
            guard case .integer(let phase) = row[3], case .integer(let rows) = row[4],
                case .bytes(let position) = row[5]
            else { return }
            var entry = Entry(
                number: number, isRepository: row[1] == .bool(true), name: text,
                phase: Phase(rawValue: phase) ?? .waiting, rows: Int(rows), position: position, isMade: nil)
            if row.count > 6, case .bool(let isMade) = row[6] { entry.isMade = isMade }
            entries.append(entry)
        }
        self.origin = origin
        self.entries = entries.sorted { $0.number < $1.number }
    }

    /// The ledger of a new move.
    init(origin: String, tables: [String], repositories: [String]) {
        self.origin = origin
        isOld = false
        let names = tables.map { ($0, false) } + repositories.map { ($0, true) }
        entries = names.enumerated().map { number, entry in
            Entry(
                number: Int64(number), isRepository: entry.1, name: entry.0, phase: .waiting, rows: 0, position: [])
        }
    }

    /// Whether the run that creates the ledger has not stored its entries yet, or never did.
    var isBlank: Bool { entries.isEmpty }

    /// Stores a new ledger, in one transaction if the target makes tables in transactions.
    /// - Throws: ``ToolError`` if another run has created one meanwhile.
    func store(_ engine: any TableEngine) throws {
        var rows = RowBuffer()
        let first = Entry(
            number: Self.originNumber, isRepository: false, name: origin, phase: .waiting, rows: 0, position: [])
        for entry in [first] + entries { try rows.append(entry.values, layout: Self.structure.layout) }
        let statement = InsertStatement(Self.structure, rows: rows)
        try Self.refusingRivals {
            try engine.change { session in
                try session.alter(.createTable(Self.structure))
                _ = try session.insert(statement)
            }
        }
    }

    /// Adds what the ledger of an earlier release lacks.
    func upgrade(_ engine: any TableEngine) throws {
        if !isOld { return }
        try Self.refusingRivals {
            try engine.change { try $0.alter(.addColumn(table: Self.tableName, Self.made)) }
        }
    }

    /// Stores the progress of one entry, in a transaction of the target. Call it first in the transaction: another run
    /// that stores the same rows waits, or conflicts, there.
    /// - Throws: ``ToolError`` if the ledger does not have the progress `before`: another run has changed it.
    static func store(_ after: Entry, inPlaceOf before: Entry, _ session: any TableSession) throws {
        var row = RowBuffer()
        try row.append(after.values, layout: structure.layout)
        let isBefore = Predicate.and(
            [0, 3, 4, 5].map { .compare(ColumnReference(column: $0), .equal, before.values[$0]) })
        let statement = UpdateStatement(structure, columns: [3, 4, 5, 6], row: row, predicate: isBefore)
        let changes = try refusingRivals { try session.update(statement) }
        if changes.count == 0 { throw rival }
    }

    /// Changes an entry, and stores its progress in a transaction of its own.
    static func advance(_ entry: inout Entry, _ engine: any TableEngine, _ change: (inout Entry) -> Void) throws {
        let before = entry
        var after = entry
        change(&after)
        try engine.change { [after] in try store(after, inPlaceOf: before, $0) }
        entry = after
    }

    /// Runs a change of the ledger, or makes a table.
    /// - Throws: ``ToolError`` in place of the errors of a table that another run has made or dropped.
    static func refusingRivals<R>(
        _ codes: Set<TableErrorCode> = [.exists, .unique, .noTable], _ body: () throws -> R
    ) throws -> R {
        do { return try body() } catch let error as any TableError where codes.contains(error.code) { throw rival }
    }

    /// The error of a table that another run has made or changed.
    static var rival: ToolError {
        ToolError(
            .locked,
            "another move into the same target is under way, or has ended meanwhile; this one stops, and what both have "
                + "stored stays. If the other does not end, the same command goes on behind it")
    }

    /// Drops the ledger's table.
    static func remove(_ engine: any TableEngine) throws {
        try refusingRivals { try drop(engine) }
    }

    private static func drop(_ engine: any TableEngine) throws {
        try engine.change { try $0.alter(.dropTable(tableName)) }
    }

    /// Drops the table of this ledger, whose entries are all done. If the connection is lost meanwhile, looks whether
    /// the table is still there, and drops it once more.
    /// - Throws: ``ToolError`` if the table may be left.
    func finish(_ engine: any TableEngine, at destination: String) throws {
        do { return try Self.remove(engine) } catch let error as any TableError
            where [.unknownOutcome, .unavailable].contains(error.code)
        {
            // The answer is missing.
        }
        do {
            // A ledger with other progress is that of a move which has begun since.
            guard let found = try engine.reading({ try Self($0) }), found.origin == origin,
                found.entries.map(\.values) == entries.map(\.values)
            else { return }
            try Self.drop(engine)
        } catch let error as any TableError where error.code == .noTable {
            // The server has ended the first drop meanwhile.
        } catch {
            let failure = Failure(error)
            throw ToolError(
                failure.exitCode,
                "everything is moved and compared; only the table \(Self.tableName) may be left in \(destination): "
                    + "drop it there. The reason: \(failure.message)")
        }
    }
}

extension MoveLedger.Entry {
    fileprivate var values: [ColumnValue] {
        [
            .integer(number), .bool(isRepository), .bytes(Array(name.utf8)), .integer(phase.rawValue),
            .integer(Int64(rows)), .bytes(position), isMade.map { .bool($0) } ?? .null,
        ]
    }
}

extension TableEngine {
    /// Runs `body` in a transaction, and repeats it after conflicts.
    func change<R>(_ body: (any TableSession) throws -> R) throws -> R {
        try ConflictRetry.run(self, .serial) { try begin(.serial).commit(body) }
    }
}

extension TableSession {
    /// Passes the values of each row of a query to `body`.
    func forEachRow(_ query: Query, _ body: ([ColumnValue]) throws -> Void) throws {
        let stream = try run(query)
        while let batch = try stream.next() {
            for row in 0..<batch.rows.count { try body(try batch.rows.values(ofRow: row, batch.shape)) }
        }
    }
}
