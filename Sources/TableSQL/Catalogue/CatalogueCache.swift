import Synchronization
import TableKit

/// Caches the tables of a database until a schema change.
package final class CatalogueCache: Sendable {
    private struct State {
        var tables: [String: SQLTable]?
        var generation = 0
        var findPlans: [ObjectIdentifier: FindPlan] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The cached tables; nil if they must be read.
    package var tables: [String: SQLTable]? { state.withLock { $0.tables } }

    /// The number of invalidations so far.
    package var generation: Int { state.withLock { $0.generation } }

    /// Caches tables that were read at a generation; does nothing if the cache was invalidated since.
    package func keep(_ tables: [String: SQLTable], generation: Int) {
        state.withLock { if $0.generation == generation { $0.tables = tables } }
    }

    // MARK: Plans

    private static let maximumPlans = 512

    /// The cached plan of look-ups by key for a structure; nil if there is none.
    func findPlan(_ structure: TableStructure) -> FindPlan? {
        state.withLock { $0.findPlans[ObjectIdentifier(structure)] }
    }

    /// Caches a plan that was made at a generation; does nothing if the cache was invalidated since.
    func keep(_ plan: FindPlan, generation: Int) {
        state.withLock { state in
            guard state.generation == generation, state.tables != nil else { return }
            if state.findPlans.count >= Self.maximumPlans { state.findPlans = [:] }
            state.findPlans[ObjectIdentifier(plan.source.structure)] = plan
        }
    }

    /// Invalidates the cache: the next use reads the tables again.
    package func forget() {
        state.withLock {
            $0.tables = nil
            $0.findPlans = [:]
            $0.generation += 1
        }
    }
}
