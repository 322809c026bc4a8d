/// A link of a chain such as `table.order(by: \.name).join(…).where(…)`.
public protocol TableProtocol: Sendable {
    /// The type that the whole chain yields.
    associatedtype OverAllForm: Codable
    /// The type of the table that was named last: what `order` and `limit` are about.
    associatedtype Form: Codable
    /// The engine that runs the chain.
    var engine: any TableEngine { get }
    /// What the chain up to here asks for.
    /// - Throws: ``CRUDSQLGenError`` for key paths that name no column, and for what does not fit together.
    func describe() throws -> QueryDescription
}

/// A link that follows another.
public protocol FromTableProtocol {
    /// The type of the link before.
    associatedtype FromTableType: TableProtocol
    /// The link before.
    var fromTable: FromTableType { get }
}

extension FromTableProtocol {
    /// The engine that runs the chain.
    public var engine: any TableEngine { fromTable.engine }
}

extension TableProtocol {
    /// How a statement that is made now reaches the database.
    var access: Access { Access(engine) }
}
