// The same members as `Update`: both are public, and structs inherit none.
/// The result of a delete.
public struct Delete<OAF: Codable, A: TableProtocol>: FromTableProtocol, Sendable {
    /// The type of the previous link.
    public typealias FromTableType = A
    /// The type of the objects.
    public typealias OverAllForm = OAF

    /// The previous link.
    public let fromTable: A
    /// The number of matching rows deleted, without those of cascades.
    public let count: Int

    init(fromTable: A, _ result: ChangeResult) {
        self.fromTable = fromTable
        count = result.count
    }
}

extension Deleteable where Form == OverAllForm {
    /// Deletes all matching rows; without a condition, all rows.
    /// - Throws: ``CRUDSQLGenError`` if the chain has an order, a limit or a join.
    @discardableResult
    public func delete() throws -> Delete<OverAllForm, Self> {
        let statement = try statement(isReturning: false)
        return Delete(fromTable: self, try access.change { try $0.delete(statement) })
    }

    /// Deletes all matching rows; without a condition, all rows.
    @discardableResult
    public func delete() async throws -> Delete<OverAllForm, Self> {
        let statement = try statement(isReturning: false)
        return Delete(fromTable: self, try await access.change { try $0.delete(statement) })
    }

    /// Deletes all matching rows and returns the deleted rows.
    public func returningDelete() throws -> [OverAllForm] {
        let statement = try statement(isReturning: true)
        let access = access
        let result = try access.change { try $0.delete(statement) }
        return try access.objects(OverAllForm.self, of: result, statement.table)
    }

    /// Deletes all matching rows and returns the deleted rows.
    public func returningDelete() async throws -> [OverAllForm] {
        let statement = try statement(isReturning: true)
        let access = access
        let result = try await access.change { try $0.delete(statement) }
        return try access.objects(OverAllForm.self, of: result, statement.table)
    }

    private func statement(isReturning: Bool) throws -> DeleteStatement {
        let description = try describe()
        try description.checkIsCondition(for: "A delete")
        var statement = DeleteStatement(description.table, predicate: description.query.predicate)
        statement.isReturning = isReturning
        CRUDLogging.logQuery(
            "DELETE FROM \(statement.table.name)" + (statement.predicate?.clause(of: statement.table) ?? ""))
        return statement
    }
}
