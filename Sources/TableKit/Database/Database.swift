/// A database: the start of every chain.
///
/// A value, cheap to create and to copy, usable from any task or thread. Two values with the same configuration, or
/// with configurations of the same path, are the same database.
public struct Database<C: DatabaseConfigurationProtocol>: DatabaseProtocol {
    /// The configuration's type.
    public typealias Configuration = C
    /// The configuration.
    public let configuration: C

    /// A database.
    public init(configuration: C) { self.configuration = configuration }
}

/// A database with any configuration.
public protocol DatabaseProtocol: Sendable {
    /// The configuration's type.
    associatedtype Configuration: DatabaseConfigurationProtocol
    /// The configuration.
    var configuration: Configuration { get }
}

extension DatabaseProtocol {
    /// The engine.
    public var engine: any TableEngine { configuration.engine }

    /// Ends the use of the database by this configuration and all copies of it. Their observations and later statements
    /// throw ``TableErrorCode/unavailable``. A second call does nothing.
    ///
    /// Other configurations of the same database stay open. Closing the last one closes the database: open transactions
    /// roll back, and open results throw or end. Committed changes stay.
    /// - Throws: a disk error. The last changes may then not be durable.
    public func close() throws { try configuration.close() }

    /// As the synchronous form, for tasks.
    public func close() async throws { try await configuration.close() }

    /// The table of a type. Accesses nothing: if the table does not exist, the first statement throws.
    public func table<T: Codable>(_ form: T.Type) -> Table<T, Self> { Table(database: self) }

    /// The access for a statement that runs now: inside the current transaction, or on its own.
    var access: Access { Access(engine) }
}
