/// The result of an insert.
public struct Insert<OAF: Codable, A: TableProtocol>: FromTableProtocol, Sendable {
    /// The type of the previous link.
    public typealias FromTableType = A
    /// The type of the objects.
    public typealias OverAllForm = OAF

    /// The previous link.
    public let fromTable: A
    /// The number of inserted rows.
    public let count: Int
    private let lastNumber: Int64?

    init(fromTable: A, _ result: ChangeResult) {
        self.fromTable = fromTable
        count = result.count
        lastNumber = result.lastInsertID
    }

    /// The key of the last inserted row, if it is one integer, else nil. Nil also for a key greater than `Int.max`, and
    /// if no row was inserted.
    ///
    /// For a row of a table without a key, Siltstone returns its hidden number.
    public func lastInsertId() throws -> Int? { lastNumber.map { Int($0) } }
}

/// The most bytes that an insert reserves for its rows: the first ones may be far larger than the others.
private let mostReserved = 64 << 20

extension Table {
    private func statement(
        _ items: [A], _ choice: ColumnChoice, _ onConflict: InsertStatement.Conflict = .fail, isReturning: Bool = false
    ) throws -> InsertStatement {
        let structure = try structure.get()
        let columns = try choice.columns(of: structure)
        var rows = SpareRows.take()
        let encoder = RowEncoder<A>(structure)
        rows.ends.reserveCapacity(items.count)
        for item in items {
            try encoder.append(item, to: &rows)
            // Reserves memory by the size of the first eight rows: growing in steps would copy the bytes several times.
            if rows.count == 8 {
                rows.bytes.reserveCapacity(Swift.min(rows.bytes.count / 8 * items.count * 9 / 8, mostReserved))
            }
        }
        var statement = InsertStatement(structure, columns: columns, rows: rows)
        statement.onConflict = onConflict
        statement.isReturning = isReturning
        return statement
    }

    func insertRows(
        _ items: [A], _ choice: ColumnChoice, onConflict: InsertStatement.Conflict = .fail
    ) throws -> ChangeResult {
        try run(try statement(items, choice, onConflict))
    }

    func insertRows(
        _ items: [A], _ choice: ColumnChoice, onConflict: InsertStatement.Conflict = .fail
    ) async throws -> ChangeResult {
        try await run(try statement(items, choice, onConflict))
    }

    func insertReturning(_ items: [A], _ choice: ColumnChoice) throws -> [A] {
        let statement = try statement(items, choice, isReturning: true)
        return try access.objects(A.self, of: try run(statement), statement.table)
    }

    func insertReturning(_ items: [A], _ choice: ColumnChoice) async throws -> [A] {
        let statement = try statement(items, choice, isReturning: true)
        return try access.objects(A.self, of: try await run(statement), statement.table)
    }

    func insertReturning(_ item: A, _ choice: ColumnChoice) throws -> A {
        try only(try insertReturning([item], choice))
    }

    func insertReturning(_ item: A, _ choice: ColumnChoice) async throws -> A {
        try only(try await insertReturning([item], choice))
    }

    private func only(_ items: [A]) throws -> A {
        guard let item = items.first else {
            throw CRUDSQLExeError("The engine returned no row.", table: A.CRUDTableName)
        }
        return item
    }

    private func run(_ statement: InsertStatement) throws -> ChangeResult {
        if statement.rows.isEmpty { return ChangeResult() }
        defer { SpareRows.give(statement.rows) }
        CRUDLogging.logQuery(statement.text)
        return try access.change { try $0.insert(statement) }
    }

    private func run(_ statement: InsertStatement) async throws -> ChangeResult {
        if statement.rows.isEmpty { return ChangeResult() }
        defer { SpareRows.give(statement.rows) }
        CRUDLogging.logQuery(statement.text)
        return try await access.change { try $0.insert(statement) }
    }
}

extension InsertStatement {
    /// The statement in an SQL-like notation, for logs.
    fileprivate var text: String {
        let names = (columns ?? Array(table.columns.indices)).map { table.columns[$0].name }
        return "INSERT INTO \(table.name) (\(names.joined(separator: ", "))): \(rows.count) rows"
    }
}
