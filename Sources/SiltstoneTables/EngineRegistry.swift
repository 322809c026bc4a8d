import Siltstone
import TableKit

/// The engines of the stores that are open in this process: one for each, however many configurations name it.
final class EngineRegistry: Sendable {
    static let shared = EngineRegistry()

    private struct Entry: Sendable {
        weak let engine: SiltstoneEngine?
    }

    // By the store's identity, which no other store has while the engine lives, as the engine keeps the store.
    private let engines = Locked<[ObjectIdentifier: Entry]>([:])

    /// The engine of an open store.
    /// - Throws: `TableErrorCode.argument` where the engine is there with another durability.
    func engine(_ store: KeyValueStore, _ shared: SharedStore?, durability: Durability?) throws -> SiltstoneEngine {
        try engines.withLock { engines in
            engines = engines.filter { $0.value.engine != nil }
            if let engine = engines[ObjectIdentifier(store)]?.engine {
                guard durability == nil || durability == engine.durability else {
                    throw CRUDSQLExeError(
                        "The database is open in this process with another durability.", code: .argument)
                }
                return engine
            }
            let engine = try SiltstoneEngine(store, shared, durability: durability)
            engines[ObjectIdentifier(store)] = Entry(engine: engine)
            return engine
        }
    }
}
