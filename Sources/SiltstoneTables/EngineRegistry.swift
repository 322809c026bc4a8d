import Siltstone
import TableKit

/// The engines of the open stores of this process: one for each store, shared by all of its configurations.
final class EngineRegistry: Sendable {
    static let shared = EngineRegistry()

    private struct Entry: Sendable {
        weak let engine: SiltstoneEngine?
    }

    // Keyed by the store's identity, which stays unique while the engine retains the store.
    private let engines = Locked<[ObjectIdentifier: Entry]>([:])

    /// Begins a use of the engine of an open store.
    /// - Throws: `TableErrorCode.argument` if the engine exists with another durability.
    func use(_ store: KeyValueStore, _ shared: SharedStore?, durability: Durability?) throws -> DatabaseUse {
        // Engines outlive the lock. Otherwise the release of a last reference could close a store under it.
        var known: [SiltstoneEngine?] = []
        defer { withExtendedLifetime(known) {} }
        return try engines.withLock { engines in
            known = engines.values.map(\.engine)
            engines = engines.filter { $0.value.engine != nil }
            if let engine = engines[ObjectIdentifier(store)]?.engine {
                guard durability == nil || durability == engine.durability else {
                    throw CRUDSQLExeError(
                        "The database is open in this process with another durability.", code: .argument)
                }
                engine.sharing.withLock { sharing in
                    sharing.uses += 1
                    // The last use may be about to close the store. Keeps it open for this one.
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
    /// - Returns: the store for the caller to close, if this was the last use. The engine then no longer retains it.
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
