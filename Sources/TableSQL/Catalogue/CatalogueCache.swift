import Synchronization
import TableKit

/// The tables of a database as they were last read, until something changes them.
package final class CatalogueCache: Sendable {
    private struct State {
        var tables: [String: SQLTable]?
        var generation = 0
        var findPlans: [ObjectIdentifier: FindPlan] = [:]
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

    // MARK: Plans

    private static let maximumPlans = 512

    /// The plan of look-ups for a structure, made of the tables as they are known.
    func findPlan(_ structure: TableStructure) -> FindPlan? {
        state.withLock { $0.findPlans[ObjectIdentifier(structure)] }
    }

    /// Keeps a plan, unless the tables have changed since.
    func keep(_ plan: FindPlan, generation: Int) {
        state.withLock { state in
            guard state.generation == generation, state.tables != nil else { return }
            if state.findPlans.count >= Self.maximumPlans { state.findPlans = [:] }
            state.findPlans[ObjectIdentifier(plan.source.structure)] = plan
        }
    }

    /// Has the tables read again.
    package func forget() {
        state.withLock {
            $0.tables = nil
            $0.findPlans = [:]
            $0.generation += 1
        }
    }
}
