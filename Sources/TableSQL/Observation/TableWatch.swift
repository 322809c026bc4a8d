import Synchronization

/// Counts the commits that changed each table, and wakes observers.
package final class TableWatch: Sendable {
    /// Called once: with nil after a commit, with an error when the watch ends.
    typealias Wake = @Sendable ((any Error)?) -> Void

    private struct State {
        var next = 0
        /// The number of commits that changed each table.
        var commits: [String: Int] = [:]
        /// The number of times that any table may have changed.
        var unknownCommits = 0
        var waiting: [Int: (tables: Set<String>, wake: Wake)] = [:]
        var observations = 0
        /// Makes the error of observers after the end.
        var end: (@Sendable () -> any Error)?
    }

    private let state = Mutex(State())

    /// The counters of all tables at one time.
    package struct Mark: Sendable {
        var commits: [String: Int]
        var unknownCommits: Int
    }

    package init() {}

    /// Whether anybody observes tables.
    package var isObserved: Bool { state.withLock { $0.observations > 0 } }

    /// The current counters.
    func mark() -> Mark {
        state.withLock { Mark(commits: $0.commits, unknownCommits: $0.unknownCommits) }
    }

    /// Reports a commit that changed tables.
    package func tell(_ tables: Set<String>) {
        let woken = state.withLock { state -> [Wake] in
            for table in tables { state.commits[table, default: 0] += 1 }
            let woken = state.waiting.filter { !$0.value.tables.isDisjoint(with: tables) }
            for key in woken.keys { state.waiting[key] = nil }
            return woken.values.map(\.wake)
        }
        for wake in woken { wake(nil) }
    }

    /// Reports that any table may have changed, because commits may have been missed.
    package func tellOfAnyTable() {
        let woken = state.withLock { state -> [Wake] in
            state.unknownCommits += 1
            defer { state.waiting = [:] }
            return state.waiting.values.map(\.wake)
        }
        for wake in woken { wake(nil) }
    }

    /// Wakes all observers with an error, now and later.
    func end(_ error: @escaping @Sendable () -> any Error) {
        let woken = state.withLock { state -> [Wake] in
            state.end = error
            defer { state.waiting = [:] }
            return state.waiting.values.map(\.wake)
        }
        for wake in woken { wake(error()) }
    }

    /// Calls `wake` after the first commit since `mark` that changed one of the tables; at once if there was one.
    /// - Returns: the observer's number for ``forget(_:)``.
    func wait(for tables: Set<String>, since mark: Mark, wake: @escaping Wake) -> Int {
        let (number, end) = state.withLock { state -> (Int?, (@Sendable () -> any Error)?) in
            if let end = state.end { return (nil, end) }
            if state.unknownCommits != mark.unknownCommits
                || tables.contains(where: { state.commits[$0] != mark.commits[$0] })
            {
                return (nil, nil)
            }
            state.next += 1
            state.waiting[state.next] = (tables, wake)
            return (state.next, nil)
        }
        if number == nil { wake(end?()) }
        return number ?? 0
    }

    func forget(_ number: Int) { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }

    func addObservation() { state.withLock { $0.observations += 1 } }

    func removeObservation() { state.withLock { $0.observations -= 1 } }
}
