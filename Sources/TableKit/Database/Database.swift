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

    /// Ends the use of the database by this configuration and all copies of it: later statements throw
    /// ``TableErrorCode/unavailable``. Again: does nothing.
    ///
    /// Other configurations of the same database go on. With the last one the database closes, and whatever is open ends:
    /// a transaction stores nothing and throws, observations throw, and a result that is read throws or comes to its end. What
    /// was committed stays.
    /// - Throws: an error of the disk: the last changes may not be durable then.
    public func close() throws { try configuration.close() }

    /// As the synchronous form, for tasks.
    public func close() async throws { try await configuration.close() }

    /// The table of a type. Reads and changes nothing: a table that does not exist is found out by the first statement.
    public func table<T: Codable>(_ form: T.Type) -> Table<T, Self> { Table(database: self) }

    /// How a statement that is made now reaches the database.
    var access: Access { Access(engine) }
}
