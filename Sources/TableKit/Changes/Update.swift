// The same members as `Delete`: both are public, and structs inherit none.
/// The result of an update.
public struct Update<OAF: Codable, A: TableProtocol>: FromTableProtocol, Sendable {
    /// The type of the previous link.
    public typealias FromTableType = A
    /// The type of the objects.
    public typealias OverAllForm = OAF

    /// The previous link.
    public let fromTable: A
    /// The number of matching rows, which were all set.
    public let count: Int

    init(fromTable: A, _ result: ChangeResult) {
        self.fromTable = fromTable
        count = result.count
    }
}

extension Updatable where Form == OverAllForm {
    private func statement(
        _ item: OverAllForm, _ choice: ColumnChoice, isReturning: Bool
    ) throws -> UpdateStatement {
        let description = try describe()
        try description.checkIsCondition(for: "An update")
        let structure = description.table
        var row = RowBuffer()
        try RowEncoder<OverAllForm>(structure).append(item, to: &row)
        let columns = try choice.columns(of: structure) ?? Array(structure.columns.indices)
        var statement = UpdateStatement(structure, columns: columns, row: row, predicate: description.query.predicate)
        statement.isReturning = isReturning
        CRUDLogging.logQuery(statement.text)
        return statement
    }

    func updateRows(_ item: OverAllForm, _ choice: ColumnChoice) throws -> ChangeResult {
        let statement = try statement(item, choice, isReturning: false)
        return try access.change { try $0.update(statement) }
    }

    func updateRows(_ item: OverAllForm, _ choice: ColumnChoice) async throws -> ChangeResult {
        let statement = try statement(item, choice, isReturning: false)
        return try await access.change { try $0.update(statement) }
    }

    func updateReturning(_ item: OverAllForm, _ choice: ColumnChoice) throws -> [OverAllForm] {
        let statement = try statement(item, choice, isReturning: true)
        let access = access
        let result = try access.change { try $0.update(statement) }
        return try access.objects(OverAllForm.self, of: result, statement.table)
    }

    func updateReturning(_ item: OverAllForm, _ choice: ColumnChoice) async throws -> [OverAllForm] {
        let statement = try statement(item, choice, isReturning: true)
        let access = access
        let result = try await access.change { try $0.update(statement) }
        return try access.objects(OverAllForm.self, of: result, statement.table)
    }
}

extension UpdateStatement {
    /// The statement in an SQL-like notation, for logs.
    fileprivate var text: String {
        "UPDATE \(table.name) SET \(columns.map { table.columns[$0].name }.joined(separator: ", "))"
            + (predicate?.clause(of: table) ?? "")
    }
}

extension Predicate {
    /// The condition as a WHERE clause of a statement on one table.
    func clause(of table: TableStructure) -> String { " WHERE \(text { table.columns[$0.column].name })" }
}
