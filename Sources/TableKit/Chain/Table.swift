/// The table of a type.
public struct Table<A: Codable, C: DatabaseProtocol>: TableProtocol, Joinable, Selectable, Whereable, Orderable,
    Limitable, Updatable, Deleteable
{
    /// The type that the chain yields.
    public typealias OverAllForm = A
    /// The type of the table that was named last.
    public typealias Form = A
    /// The database's type.
    public typealias DatabaseType = C

    /// The database.
    public let database: C
    /// The columns of the type, or the reason why the type cannot be a table.
    let structure: Result<TableStructure, any Error>

    init(database: C) {
        self.database = database
        structure = Result { try TableStructure.of(A.self) }
    }

    /// The engine that runs the chain.
    public var engine: any TableEngine { database.engine }

    /// A description of all rows.
    public func describe() throws -> QueryDescription { QueryDescription(A.self, try structure.get()) }
}
