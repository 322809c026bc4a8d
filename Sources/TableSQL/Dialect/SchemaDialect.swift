package import TableKit

/// How a database writes its schema, its transactions and its inserts.
package protocol SchemaDialect: SQLDialect {
    /// Whether a statement that fails ends the transaction that it is in, unless a savepoint stands before it.
    var failureEndsTransaction: Bool { get }

    /// The statements that begin a transaction.
    /// - Parameter mode: nil for one that only reads.
    func begin(_ mode: TransactionMode?) -> [String]

    /// The tables of the database, with what of ours is noted in it.
    func readCatalogue(_ connection: any SQLConnection) throws -> [SQLTable]

    /// Statements for a change of the schema. They may ask the connection what is there.
    func alter(_ change: SchemaChange, _ tables: [String: SQLTable], _ connection: any SQLConnection) throws

    /// Runs an insert, all or none. The rows have a value for each of `columns`.
    func insert(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome

    /// Runs an update or a delete whose text ends with its condition.
    /// - Parameter returning: the columns of the table to be returned, by number.
    /// - Returns: the number of rows, and their columns in any order.
    func change(
        _ text: SQLText, _ table: SQLTable, returning: [Int], _ connection: any SQLConnection
    ) throws -> (count: Int, rows: [[ColumnValue]])

    /// What is wrong with rows, indexes and constraints, as sentences.
    func verify(_ tables: [SQLTable], _ connection: any SQLConnection) throws -> [String]
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
