import Synchronization
import TableKit

/// Caches the tables of a database until a schema change.
package final class CatalogueCache: Sendable {
    private struct State {
        var tables: [String: SQLTable]?
        /// When the tables were read.
        var readAt = Moment.now
        /// Whether two reads have told these tables.
        var isAgreed = false
        /// The tables before ``doubt()``, and when they were read.
        var doubted: (tables: [String: SQLTable], readAt: Moment)?
        var generation = 0
        var findPlans: [ObjectIdentifier: FindPlan] = [:]

        mutating func forget() {
            tables = nil
            isAgreed = false
            findPlans = [:]
            generation += 1
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// The cached tables; nil if they must be read.
    package var tables: [String: SQLTable]? { state.withLock { $0.tables } }

    /// The number of invalidations so far.
    package var generation: Int { state.withLock { $0.generation } }

    /// Caches tables that one read has told at a generation; does nothing if the cache was invalidated since.
    package func keep(_ tables: [String: SQLTable], generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.tables = tables
            state.readAt = .now
            state.isAgreed =
                state.doubted.map {
                    $0.readAt + Self.pause < state.readAt && $0.tables.haveSameStructures(as: tables)
                } ?? false
            state.doubted = nil
        }
    }

    /// Caches tables that two reads have told at a generation, in place of others; does nothing if the cache was
    /// invalidated since.
    func keepAgreed(_ tables: [String: SQLTable], generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            if let known = state.tables, !known.haveSameStructures(as: tables) { state.forget() }
            if state.tables == nil { state.tables = tables }
            state.readAt = .now
            state.isAgreed = true
            state.doubted = nil
        }
    }

    private static let pause = Duration.seconds(CatalogueReads.pause)

    /// The cached tables if their read is so long ago that a second one may confirm it; otherwise nil.
    var rested: [String: SQLTable]? {
        state.withLock { $0.readAt + Self.pause < .now ? $0.tables : nil }
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
            $0.forget()
            $0.doubted = nil
        }
    }

    /// Invalidates tables of one read, which may lack something for a moment. Does nothing to tables that two reads have
    /// told: a program whose errors are usual does not read them after each.
    func doubt() {
        state.withLock { state in
            guard let tables = state.tables, !state.isAgreed else { return }
            state.forget()
            state.doubted = (tables, state.readAt)
        }
    }
}
