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

    /// Begins a use of the engine of an open store.
    /// - Throws: `TableErrorCode.argument` where the engine is there with another durability.
    func use(_ store: KeyValueStore, _ shared: SharedStore?, durability: Durability?) throws -> DatabaseUse {
        try engines.withLock { engines in
            engines = engines.filter { $0.value.engine != nil }
            if let engine = engines[ObjectIdentifier(store)]?.engine {
                guard durability == nil || durability == engine.durability else {
                    throw CRUDSQLExeError(
                        "The database is open in this process with another durability.", code: .argument)
                }
                engine.sharing.withLock { sharing in
                    sharing.uses += 1
                    // The last use may be about to close the store, which then stays open for this one.
                    sharing.shared = sharing.shared ?? shared
                }
                return DatabaseUse(engine)
            }
            let engine = try SiltstoneEngine(store, shared, durability: durability)
            engines[ObjectIdentifier(store)] = Entry(engine: engine)
            return DatabaseUse(engine)
        }
    }

    /// Ends a use of an engine.
    /// - Returns: the store, where the last use ends and is to close it. The engine keeps it no longer.
    func end(_ engine: SiltstoneEngine, isClosing: Bool) -> SharedStore? {
        engines.withLock { _ in
            engine.sharing.withLock { sharing in
                sharing.uses -= 1
                guard isClosing, sharing.uses == 0 else { return nil }
                return sharing.shared.take()
            }
        }
    }
}
