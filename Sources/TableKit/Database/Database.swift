/// A database: where chains begin.
///
/// A value, cheap to make and to copy, for any task or thread. Two of one configuration, or of two configurations of one
/// path, are the same database.
public struct Database<C: DatabaseConfigurationProtocol>: DatabaseProtocol {
    /// The configuration's type.
    public typealias Configuration = C
    /// The configuration.
    public let configuration: C

    /// A database.
    public init(configuration: C) { self.configuration = configuration }
}

/// A database, whatever its configuration.
public protocol DatabaseProtocol: Sendable {
    /// The configuration's type.
    associatedtype Configuration: DatabaseConfigurationProtocol
    /// The configuration.
    var configuration: Configuration { get }
}

extension DatabaseProtocol {
    /// The engine.
    public var engine: any TableEngine { configuration.engine }

    /// The table of a type. Reads and changes nothing: a table that does not exist is found out by the first statement.
    public func table<T: Codable>(_ form: T.Type) -> Table<T, Self> { Table(database: self) }

    /// How a statement that is made now reaches the database.
    var access: Access { Access(engine) }
}
