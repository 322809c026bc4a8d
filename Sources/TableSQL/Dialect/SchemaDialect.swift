package import TableKit

/// A database's SQL for schema changes, transactions and inserts.
package protocol SchemaDialect: SQLDialect {
    /// Whether a failed statement ends its transaction, unless a savepoint precedes it.
    var failureEndsTransaction: Bool { get }

    /// Whether COMMIT follows a single change in the same round trip, unless a task may cancel the change.
    var closesChanges: Bool { get }

    /// Whether a schema change commits itself and everything before it.
    var schemaChangesCommit: Bool { get }

    /// Tries to take the lock of migrations for the connection: 1 if it has it, 0 if another connection has it. Nil if
    /// the transactions of migrations keep each other out.
    var migrationLock: SQLStatement? { get }

    /// The number of the connection that holds the lock of migrations, as the server counts; NULL if none does.
    var migrationLockHolder: SQLStatement? { get }

    /// Whether nothing changes the catalogue between the reads of a transaction and its own change.
    var locksCatalogue: Bool { get }

    /// Statements that shorten the lock time-outs of a session.
    var impatience: [String] { get }

    /// Whether the server commits statements outside of transactions, so that one change needs no BEGIN and COMMIT.
    var commitsStatements: Bool { get }

    /// Whether an insert runs as one statement, which is atomic by itself.
    func isOneStatement(_ insert: SQLInsert) -> Bool

    /// Whether a change runs as one statement, which is atomic by itself.
    func isOneStatement(_ change: SQLChange) -> Bool

    /// Whether an insert takes its rows as they were encoded (``SQLInsert/packed``).
    func packs(_ insert: SQLInsert, _ rows: PackedRows) -> Bool

    /// The statements that begin a transaction.
    /// - Parameter mode: nil for a transaction that only reads.
    func begin(_ mode: TransactionMode?) -> [String]

    /// Reads the tables of the database, with the notes of their columns.
    func readCatalogue(_ connection: any SQLConnection) throws -> [SQLTable]

    /// Runs a schema change. It may query the connection first.
    func alter(_ change: SchemaChange, _ tables: [String: SQLTable], _ connection: any SQLConnection) throws

    /// The value to bind so that a column stores this value.
    /// - Parameter column: the number of the table's column.
    func bound(_ value: ColumnValue, to column: Int, of table: SQLTable) throws -> ColumnValue

    /// Runs an insert. Rows have a value for each of `columns`. Atomic only within a transaction or as one statement.
    func insert(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome

    /// Runs an update or a delete.
    /// - Returns: the number of rows, and the requested columns, with rows in any order.
    func change(_ change: SQLChange, _ connection: any SQLConnection) throws -> (count: Int, rows: [[ColumnValue]])

    /// A numbered key as a term of RETURNING.
    /// - Parameters:
    ///   - name: its column, quoted.
    ///   - type: the column's type.
    func returnedNumber(_ name: String, _ type: ColumnType) -> String

    /// Problems of rows, indexes and constraints, as sentences.
    func verify(_ tables: [SQLTable], _ connection: any SQLConnection) throws -> [String]
}

extension SchemaDialect {
    package func returnedNumber(_ name: String, _ type: ColumnType) -> String { name }
    package func bound(_ value: ColumnValue, to column: Int, of table: SQLTable) throws -> ColumnValue { value }
    package var closesChanges: Bool { false }
    package var schemaChangesCommit: Bool { false }
    package var migrationLock: SQLStatement? { nil }
    package var migrationLockHolder: SQLStatement? { nil }
    package var locksCatalogue: Bool { false }
    package var impatience: [String] { [] }
    package var commitsStatements: Bool { false }
    package func packs(_ insert: SQLInsert, _ rows: PackedRows) -> Bool { false }
    package func isOneStatement(_ insert: SQLInsert) -> Bool { false }
    package func isOneStatement(_ change: SQLChange) -> Bool { false }
}

/// Rows to insert, by the columns of the server's table.
package struct SQLInsert: Sendable {
    package var table: SQLTable
    /// The numbers of the table's columns that are given.
    package var columns: [Int]
    package var rows: [[ColumnValue]]
    /// The rows instead of ``rows``, if the dialect takes them so.
    package var packed: PackedRows?
    package var onConflict: InsertStatement.Conflict
    /// The numbers of the table's columns to return.
    package var returning: [Int]
    /// Statements behind the last one, in its round trip. Empty unless ``SchemaDialect/closesChanges``.
    package var closing: [SQLStatement] = []

    package init(
        table: SQLTable, columns: [Int], rows: [[ColumnValue]], onConflict: InsertStatement.Conflict, returning: [Int]
    ) {
        self.table = table
        self.columns = columns
        self.rows = rows
        self.onConflict = onConflict
        self.returning = returning
    }

    /// The number of rows.
    package var count: Int { packed?.count ?? rows.count }

    /// The number of the key column that draws the next number for NULL.
    package var numberColumn: Int? { table.numberColumn }

    /// The columns of a replaced row that get a new value or their default: all outside of the key that take values.
    var replacedColumns: [Int] {
        table.structure.columns.indices.filter { !table.structure.primaryKey.contains($0) && !table.isGenerated($0) }
    }

    /// The place of ``numberColumn`` in ``columns``; nil if it is not given.
    var numberPlace: Int? { numberColumn.flatMap { columns.firstIndex(of: $0) } }

    /// Whether encoded rows give all the numbers that the table would draw.
    func hasNumbers(_ rows: PackedRows) -> Bool {
        numberColumn == nil || numberPlace.flatMap(rows.numbers) != nil
    }
}

/// An update or a delete.
package struct SQLChange {
    package var table: SQLTable
    /// The statement without its condition.
    package var head: SQLText
    /// The values that an update sets, by the number of the table's column.
    package var assigned: [Int: ColumnValue]
    /// Whether an update may give a row a key that it does not have yet.
    package var changesKey = false
    /// Appends WHERE and the condition; nothing to change all rows.
    package var condition: (inout SQLText) throws -> Void
    /// The numbers of the table's columns to return.
    package var returning: [Int]
    /// All tables, by name.
    package var tables: [String: SQLTable]
    /// Statements behind the change, in its round trip. Empty unless ``SchemaDialect/closesChanges``.
    package var closing: [SQLStatement] = []

    /// The complete statement.
    package func text() throws -> SQLText {
        var text = head
        try condition(&text)
        return text
    }
}

/// The result of an insert.
package struct SQLInsertOutcome: Sendable {
    package var count = 0
    package var lastInsertID: Int64?
    /// The returned rows, in the order in which they were stored.
    package var rows: [[ColumnValue]] = []

    package init() {}
}

extension SQLTable {
    /// The column of a single integer key, which draws the next number for NULL.
    package var numberColumn: Int? {
        let key = structure.primaryKey
        return key.count == 1 && structure.columns[key[0]].type.isInteger ? key[0] : nil
    }
}
