#if PEER_SQLITE
import Foundation
import Siltstone
import SiltstoneTables
import SiltstoneTesting
import TableKit

/// A store and a database of SQLite, both in memory, to which the same is done.
final class DatabasePair {
    private let store: KeyValueStore
    let engine: any TableEngine
    let sqlite: SQLiteDatabase
    /// The tables as they are.
    private(set) var tables: [TableStructure] = []
    private var indexes: [IndexDefinition] = []
    /// What was done, in SQLite's words: to see a failure again.
    private(set) var history: [String] = []
    private var transaction: (any TableSession)?
    private var before: (tables: [TableStructure], indexes: [IndexDefinition]) = ([], [])

    init() throws {
        store = try KeyValueStore.inMemory()
        engine = try SiltstoneDatabaseConfiguration(store: store).engine
        sqlite = try SQLiteDatabase()
    }

    // MARK: Transactions

    func begin() throws {
        transaction = try engine.begin(.serial)
        _ = try sqlite.run("BEGIN")
        history.append("BEGIN")
        before = (tables, indexes)
    }

    /// Commits on both, or takes back.
    func end(commits: Bool) throws {
        if commits { try transaction?.commit() } else { transaction?.rollback() }
        transaction = nil
        _ = try sqlite.run(commits ? "COMMIT" : "ROLLBACK")
        history.append(commits ? "COMMIT" : "ROLLBACK")
        if !commits { (tables, indexes) = before }
    }

    /// Moves what was written into files, so that it is read from there.
    func flush() throws { try store.flush() }

    /// Ends both.
    func close() throws { try store.close() }

    /// Hands a session to `body`: the transaction, or one that reads.
    func read<R>(_ body: (any TableSession) throws -> R) throws -> R {
        if let transaction { return try body(transaction) }
        let session = try engine.beginRead()
        defer { session.rollback() }
        return try body(session)
    }

    /// Does the same to both. A constraint is broken in both or in none, and the counts of changed rows are equal.
    /// - Returns: whether it was done.
    @discardableResult
    private func both(
        _ text: String, _ bindings: [ColumnValue] = [], counts: Bool = true,
        _ change: (any TableSession) throws -> Int
    ) throws -> Bool {
        history.append(bindings.isEmpty ? text : "\(text) \(bindings)".replacing("TableKit.ColumnValue", with: ""))
        guard let transaction else { throw Disagreement(description: "no transaction is open") }
        var (ours, theirs): (Int?, Int?)
        var refusal = ""
        do { ours = try change(transaction) } catch let error as any TableError
            where error.code == .unique || error.code == .notNull
        { refusal = error.description }
        do {
            _ = try sqlite.run(text, bindings)
            theirs = counts ? sqlite.changes : ours ?? 0
        } catch let error as SQLiteError where error.isConstraint { refusal += error.description }
        guard ours == theirs else {
            throw Disagreement(
                description: "\(text) \(bindings)\nours \(ours as Any), SQLite's \(theirs as Any) \(refusal)")
        }
        return ours != nil
    }

    // MARK: Schema

    private func declaration(_ column: Column) -> String {
        var text = "\(column.name) \(column.type.sqliteName)\(column.isOptional ? "" : " NOT NULL")"
        if let value = column.defaultValue { text += " DEFAULT \(value.sqliteLiteral)" }
        return text
    }

    func create(_ table: TableStructure) throws {
        var parts = table.columns.map(declaration)
        let key = table.primaryKey.map { table.columns[$0].name }
        if !key.isEmpty { parts.append("PRIMARY KEY (\(key.joined(separator: ", ")))") }
        try both("CREATE TABLE \(table.name) (\(parts.joined(separator: ", ")))", counts: false) {
            try $0.alter(.createTable(table))
            return 0
        }
        tables.append(table)
    }

    /// Makes an index, unless there is one of these columns.
    func create(_ index: IndexDefinition) throws {
        guard !indexes.contains(where: { $0.table == index.table && $0.columns == index.columns }) else { return }
        let isMade = try both(
            """
            CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(index.sqliteName) \
            ON \(index.table)(\(index.columns.joined(separator: ", ")))
            """, counts: false
        ) {
            try $0.alter(.createIndex(index))
            return 0
        }
        if isMade { indexes.append(index) }
    }

    func add(_ column: Column, to number: Int) throws {
        let table = tables[number]
        let text = "ALTER TABLE \(table.name) ADD COLUMN \(declaration(column))"
        try both(text, counts: false) {
            try $0.alter(.addColumn(table: table.name, column))
            return 0
        }
        tables[number] = TableStructure(
            name: table.name, columns: table.columns + [column], primaryKey: table.primaryKey)
    }

    /// Drops the last column with its indexes.
    func dropColumn(of number: Int) throws {
        let table = tables[number]
        let last = table.columns.count - 1
        guard last > 2, !table.primaryKey.contains(last) else { return }
        let name = table.columns[last].name
        for index in indexes where index.table == table.name && index.columns.contains(name) {
            history.append("DROP INDEX \(index.sqliteName)")
            _ = try sqlite.run("DROP INDEX \(index.sqliteName)")
        }
        indexes.removeAll { $0.table == table.name && $0.columns.contains(name) }
        try both("ALTER TABLE \(table.name) DROP COLUMN \(name)", counts: false) {
            try $0.alter(.dropColumn(table: table.name, name))
            return 0
        }
        tables[number] = TableStructure(
            name: table.name, columns: Array(table.columns.dropLast()), primaryKey: table.primaryKey)
    }

    /// Drops one of the indexes, if there is one of this number.
    func dropIndex(_ number: Int) throws {
        guard indexes.indices.contains(number) else { return }
        let index = indexes.remove(at: number)
        try both("DROP INDEX \(index.sqliteName)", counts: false) {
            try $0.alter(.dropIndex(table: index.table, columns: index.columns))
            return 0
        }
    }

    // MARK: Rows

    /// Inserts rows.
    /// - Parameter columns: the columns that are set; nil for all.
    func insert(
        _ rows: [[ColumnValue]], columns: [Int]?, into table: TableStructure, _ conflict: InsertStatement.Conflict
    ) throws {
        let set = columns ?? Array(table.columns.indices)
        let key = table.primaryKey.map { table.columns[$0].name }.joined(separator: ", ")
        let names = set.map { table.columns[$0].name }.joined(separator: ", ")
        let places = "(\(set.map { _ in "?" }.joined(separator: ", ")))"
        var text = "INSERT INTO \(table.name) (\(names)) VALUES \(rows.map { _ in places }.joined(separator: ", "))"
        switch conflict {
        case .fail: break
        case .ignore: text += " ON CONFLICT (\(key)) DO NOTHING"
        case .replace:
            let changes = table.columns.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
            text += " ON CONFLICT (\(key)) DO UPDATE SET \(changes)"
        }
        var statement = InsertStatement(table, columns: columns, rows: RowBuffer())
        statement.onConflict = conflict
        for row in rows { try statement.rows.append(row, layout: table.layout) }
        try both(text, rows.flatMap { row in set.map { row[$0] } }) { try $0.insert(statement).count }
    }

    func update(
        _ table: TableStructure, set columns: [Int], to row: [ColumnValue], where predicate: TableKit.Predicate?
    ) throws {
        var buffer = RowBuffer()
        try buffer.append(row, layout: table.layout)
        let (condition, bindings) = condition(table, predicate)
        let changes = columns.map { "\(table.columns[$0].name) = ?" }.joined(separator: ", ")
        try both(
            "UPDATE \(table.name) AS s0 SET \(changes) WHERE \(condition)", columns.map { row[$0] } + bindings
        ) { try $0.update(UpdateStatement(table, columns: columns, row: buffer, predicate: predicate)).count }
    }

    func delete(from table: TableStructure, where predicate: TableKit.Predicate?) throws {
        let (condition, bindings) = condition(table, predicate)
        try both("DELETE FROM \(table.name) AS s0 WHERE \(condition)", bindings) {
            try $0.delete(DeleteStatement(table, predicate: predicate)).count
        }
    }

    private func condition(_ table: TableStructure, _ predicate: TableKit.Predicate?) -> (String, [ColumnValue]) {
        var query = Query(table)
        query.predicate = predicate
        var renderer = SQLiteRenderer(query)
        let text = renderer.condition()
        return (text, renderer.bindings)
    }
}

extension IndexDefinition {
    fileprivate var sqliteName: String { "i_\(table)_\(columns.joined(separator: "_"))" }
}

extension ColumnType {
    /// A type whose affinity keeps the values as they are.
    fileprivate var sqliteName: String {
        switch kind {
        case .bool: "INTEGER"
        case .number: isInteger ? "INTEGER" : "REAL"
        case .date: "REAL"
        case .uuid, .text, .json: "TEXT"
        case .bytes: "BLOB"
        }
    }
}

extension ColumnValue {
    /// The value as SQLite's literal.
    fileprivate var sqliteLiteral: String {
        if case .date(let value) = self { return "(\(value.timeIntervalSinceReferenceDate))" }
        return SQLTextWriter.literal(self, .double).map { "(\($0))" } ?? "NULL"
    }
}
#endif
