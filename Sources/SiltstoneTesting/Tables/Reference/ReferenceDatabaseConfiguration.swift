import Synchronization
public import TableKit

/// A database in memory, for tests of programs and as the oracle for engines.
public struct ReferenceDatabaseConfiguration: DatabaseConfigurationProtocol {
    private static let named = Mutex<[String: ReferenceEngine]>([:])

    /// The engine.
    public let engine: any TableEngine

    /// An empty database of its own.
    public init() { engine = ReferenceEngine() }

    /// The database of a name: all configurations of one name share it, as long as the process lives.
    public init(_ name: String) {
        engine = ReferenceDatabaseConfiguration.named.withLock { named in
            let engine = named[name] ?? ReferenceEngine()
            named[name] = engine
            return engine
        }
    }

    /// The database of a name. The other parts are not used.
    /// - Throws: `TableErrorCode.argument` without a name.
    public init(
        url: String? = nil, name: String?, host: String? = nil, port: Int? = nil, user: String? = nil,
        pass: String? = nil
    ) throws {
        guard let name else { throw CRUDSQLGenError("A database in memory needs a name.", code: .argument) }
        self.init(name)
    }
}
