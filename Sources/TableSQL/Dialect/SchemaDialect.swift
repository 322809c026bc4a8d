package import TableKit

/// How a database writes its schema, its transactions and its inserts.
package protocol SchemaDialect: SQLDialect {
    /// Whether a statement that fails ends the transaction that it is in, unless a savepoint stands before it.
    var failureEndsTransaction: Bool { get }

    /// Whether the COMMIT of a change that is a transaction by itself goes with it, in one round trip.
    var closesChanges: Bool { get }

    /// Whether a change of the schema commits, by itself and what was before it.
    var schemaChangesCommit: Bool { get }

    /// Statements that have a session give up soon where another holds a lock.
    var impatience: [String] { get }

    /// Whether a statement outside of a transaction is one by itself, so that a single change needs no BEGIN and no COMMIT.
    var commitsStatements: Bool { get }

    /// Whether an insert is one statement, which changes all or nothing by itself.
    func isOneStatement(_ insert: SQLInsert) -> Bool

    /// Whether a change is one statement, which changes all or nothing by itself.
    func isOneStatement(_ change: SQLChange) -> Bool

    /// The statements that begin a transaction.
    /// - Parameter mode: nil for one that only reads.
    func begin(_ mode: TransactionMode?) -> [String]

    /// The tables of the database, with what of ours is noted in it.
    func readCatalogue(_ connection: any SQLConnection) throws -> [SQLTable]

    /// Statements for a change of the schema. They may ask the connection what is there.
    func alter(_ change: SchemaChange, _ tables: [String: SQLTable], _ connection: any SQLConnection) throws

    /// Runs an insert, all or none. The rows have a value for each of `columns`.
    func insert(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome

    /// Runs an update or a delete.
    /// - Returns: the number of rows, and the columns that the change asks for, in any order of rows.
    func change(_ change: SQLChange, _ connection: any SQLConnection) throws -> (count: Int, rows: [[ColumnValue]])

    /// What is wrong with rows, indexes and constraints, as sentences.
    func verify(_ tables: [SQLTable], _ connection: any SQLConnection) throws -> [String]
}

extension SchemaDialect {
    package var closesChanges: Bool { false }
    package var schemaChangesCommit: Bool { false }
    package var impatience: [String] { [] }
    package var commitsStatements: Bool { false }
    package func isOneStatement(_ insert: SQLInsert) -> Bool { false }
    package func isOneStatement(_ change: SQLChange) -> Bool { false }
}

/// Rows to be inserted, by the columns of the server's table.
package struct SQLInsert: Sendable {
    package var table: SQLTable
    /// The numbers of the table's columns that are given.
    package var columns: [Int]
    package var rows: [[ColumnValue]]
    package var onConflict: InsertStatement.Conflict
    /// The numbers of the table's columns to be returned.
    package var returning: [Int]
    /// What to run behind the last statement, in its round trip. Empty unless ``SchemaDialect/closesChanges``.
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

    /// The number of the key's column that takes the next number where it is NULL.
    package var numberColumn: Int? { table.numberColumn }
}

/// An update or a delete.
package struct SQLChange {
    package var table: SQLTable
    /// The statement without its condition.
    package var head: SQLText
    /// The values that an update sets, by the number of the table's column.
    package var assigned: [Int: ColumnValue]
    /// Appends the condition with the word WHERE; nothing where all rows are meant.
    package var condition: (inout SQLText) throws -> Void
    /// The numbers of the table's columns to be returned.
    package var returning: [Int]
    /// All tables, by name.
    package var tables: [String: SQLTable]
    /// What to run behind the change, in its round trip. Empty unless ``SchemaDialect/closesChanges``.
    package var closing: [SQLStatement] = []

    /// The whole statement.
    package func text() throws -> SQLText {
        var text = head
        try condition(&text)
        return text
    }
}

/// What an insert did.
package struct SQLInsertOutcome: Sendable {
    package var count = 0
    package var lastInsertID: Int64?
    /// In the order of the rows that were stored.
    package var rows: [[ColumnValue]] = []

    package init() {}
}

extension SQLTable {
    /// The column of a key of one integer, which takes the next number where it is NULL.
    package var numberColumn: Int? {
        let key = structure.primaryKey
        return key.count == 1 && structure.columns[key[0]].type.isInteger ? key[0] : nil
    }
}
