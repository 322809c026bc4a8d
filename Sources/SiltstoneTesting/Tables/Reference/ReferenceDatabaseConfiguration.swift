import Synchronization
public import TableKit

/// An in-memory database, for tests of programs and as an oracle for engines.
public struct ReferenceDatabaseConfiguration: DatabaseConfigurationProtocol {
    private static let named = Mutex<[String: ReferenceEngine]>([:])

    /// The engine.
    public let engine: any TableEngine

    /// Creates a new, empty database.
    public init() { engine = ReferenceEngine() }

    /// The database with this name. All configurations with the name share it until the process ends.
    public init(_ name: String) {
        engine = ReferenceDatabaseConfiguration.named.withLock { named in
            let engine = named[name] ?? ReferenceEngine()
            named[name] = engine
            return engine
        }
    }

    /// The database with this name. The other parts are ignored.
    /// - Throws: `TableErrorCode.argument` without a name.
    public init(
        url: String? = nil, name: String?, host: String? = nil, port: Int? = nil, user: String? = nil,
        pass: String? = nil
    ) throws {
        guard let name else { throw CRUDSQLGenError("A database in memory needs a name.", code: .argument) }
        self.init(name)
    }
}
