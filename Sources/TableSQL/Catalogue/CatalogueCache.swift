import Synchronization

/// The tables of a database as they were last read, until something changes them.
package final class CatalogueCache: Sendable {
    private struct State {
        var tables: [String: SQLTable]?
        var generation = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The tables; nil where they have to be read.
    package var tables: [String: SQLTable]? { state.withLock { $0.tables } }

    /// Counts how often the tables were forgotten.
    package var generation: Int { state.withLock { $0.generation } }

    /// Keeps what was read, unless the tables have changed since.
    package func keep(_ tables: [String: SQLTable], generation: Int) {
        state.withLock { if $0.generation == generation { $0.tables = tables } }
    }

    /// Has the tables read again.
    package func forget() {
        state.withLock {
            $0.tables = nil
            $0.generation += 1
        }
    }
}
