/// The table of a type.
public struct Table<A: Codable, C: DatabaseProtocol>: TableProtocol, Joinable, Selectable, Whereable, Orderable,
    Limitable, Updatable, Deleteable
{
    public typealias OverAllForm = A
    public typealias Form = A
    /// The database's type.
    public typealias DatabaseType = C

    /// The database.
    public let database: C

    /// The engine that runs the chain.
    public var engine: any TableEngine { database.engine }

    /// All rows.
    public func describe() throws -> QueryDescription { try QueryDescription(A.self) }
}
