/// A link of a chain such as `table.order(by: \.name).join(…).where(…)`.
public protocol TableProtocol: Sendable {
    /// The type that the whole chain yields.
    associatedtype OverAllForm: Codable
    /// The type of the table that was named last. `order` and `limit` apply to it.
    associatedtype Form: Codable
    /// The engine that runs the chain.
    var engine: any TableEngine { get }
    /// Describes the query of the chain up to this link.
    /// - Throws: ``CRUDSQLGenError`` for a key path that names no column, and for a combination that is not valid.
    func describe() throws -> QueryDescription
}

/// A link that follows another.
public protocol FromTableProtocol {
    /// The type of the previous link.
    associatedtype FromTableType: TableProtocol
    /// The previous link.
    var fromTable: FromTableType { get }
}

extension FromTableProtocol {
    /// The engine that runs the chain.
    public var engine: any TableEngine { fromTable.engine }

    /// The description of the previous link with one more step.
    func describe(adding step: (inout QueryDescription) throws -> Void) throws -> QueryDescription {
        var description = try fromTable.describe()
        try step(&description)
        return description
    }
}

extension TableProtocol {
    /// The access for a statement that runs now: inside the current transaction, or on its own.
    var access: Access { Access(engine) }
}
