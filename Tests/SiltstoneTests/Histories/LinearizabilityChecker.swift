/// Decides whether a history is linearizable: whether each operation can be given one moment between its call and its
/// return so that, taken in the order of these moments, each saw exactly what those before it had done.
///
/// Applied to whole maps it decides strict serializability: scans, snapshots and batches are operations like any other,
/// so a batch seen by halves, a snapshot older than a write that was acknowledged before it was taken, two snapshots
/// that see two writes in opposite orders, and a scan that goes back behind another have no order that explains them.
///
/// The search is that of Wing and Gong ("Testing and verifying concurrent objects", 1993): take any operation that was
/// called before the first return that is left, go on, and go back where that leads nowhere. As Lowe ("Testing for
/// linearizability", 2017) it remembers every pair of operations taken and state reached, and tries none twice. The
/// number of operations that are under way at once, not their total, makes it expensive.
struct LinearizabilityChecker {
    /// The outcome.
    enum Verdict: Equatable {
        /// There is an order that explains everything.
        case linearizable
        /// There is none.
        case violation(Violation)
        /// The search was given up: it took too many steps.
        case undecided
    }

    /// Where the best attempt at an order ended.
    struct Violation: Equatable {
        /// The operation that fits nowhere (or one of those that cannot all fit).
        var blocked: Int
        /// The state that the others lead to.
        var state: MapState
        /// How many operations could be ordered.
        var ordered: Int
    }

    /// What the search remembers of a place where it was.
    private struct Place: Hashable {
        var taken: UInt64
        var state: UInt64
    }

    /// An operation that was taken, and what was before it.
    private struct Step {
        var operation: Int
        var state: MapState
    }

    private let operations: [Operation]
    private let greatestSteps: Int
    /// Calls and returns that are left, in the order of time, as a list: the call of operation `i` is event `2i`, its
    /// return `2i + 1`. An uncertain operation has no return.
    private var events: EventList
    private var state: MapState
    private var steps: [Step] = []
    /// Two hashes of a set each, so that a collision, which would drop a branch untried, is out of the question.
    private var seen: Set<Place> = []
    private var taken: UInt64 = 0
    private var certainLeft: Int
    private var best: Violation

    private init(_ operations: [Operation], _ initial: MapState, greatestSteps: Int) {
        self.operations = operations
        self.greatestSteps = greatestSteps
        state = initial
        certainLeft = operations.count { $0.isCertain }
        events = EventList(operations)
        best = Violation(blocked: 0, state: initial, ordered: -1)
    }

    /// Checks a history.
    /// - Parameters:
    ///   - operations: in any order.
    ///   - initial: the state that it begins with.
    ///   - greatestSteps: of the search.
    static func check(
        _ operations: [Operation], from initial: MapState = MapState(), greatestSteps: Int = 2_000_000
    ) -> Verdict {
        var search = LinearizabilityChecker(operations, initial, greatestSteps: greatestSteps)
        return search.run()
    }

    private mutating func run() -> Verdict {
        var event = events.first
        for _ in 0..<greatestSteps {
            if certainLeft == 0 { return .linearizable }
            if let called = events.call(event) {
                event = take(called) ? events.first : events.after(event)
            } else {
                // Past a return: its operation has to be taken before anything that comes later.
                noteBlocked(events.returned(event))
                guard let last = steps.popLast() else { return .violation(best) }
                putBack(last)
                event = events.after(2 * last.operation)
            }
        }
        return .undecided
    }

    /// Takes an operation next, if it fits and leads to a place where the search has not been.
    private mutating func take(_ operation: Int) -> Bool {
        guard let next = state.applying(operations[operation].effect) else { return false }
        let with = taken ^ Self.hash(operation)
        guard seen.insert(Place(taken: with, state: next.fingerprint)).inserted else { return false }
        steps.append(Step(operation: operation, state: state))
        (state, taken) = (next, with)
        events.remove(operation)
        if operations[operation].isCertain { certainLeft -= 1 }
        return true
    }

    private mutating func putBack(_ step: Step) {
        state = step.state
        taken ^= Self.hash(step.operation)
        events.putBack(step.operation)
        if operations[step.operation].isCertain { certainLeft += 1 }
    }

    private mutating func noteBlocked(_ operation: Int?) {
        guard let operation, steps.count > best.ordered else { return }
        best = Violation(blocked: operation, state: state, ordered: steps.count)
    }

    private static func hash(_ operation: Int) -> UInt64 {
        var mixer = SeededGenerator(0x6f70_6572_6174_0000 &+ UInt64(operation))
        return mixer.next()
    }
}

extension LinearizabilityChecker.Violation {
    /// The operation that fits nowhere, what was under way beside it, and who had changed its keys.
    func explanation(_ operations: [Operation]) -> String {
        let blocked = operations[blocked]
        let beside = operations.filter { $0.invoked < blocked.returned && $0.returned > blocked.invoked }
        let before = operations.filter { $0.returned < blocked.invoked }
        func lines(_ operations: some Sequence<Operation>) -> [String] {
            operations.sorted { $0.invoked < $1.invoked }.map { "  \($0)" }
        }
        let heading = ["no order explains \(blocked)", "after \(ordered) operations, with \(state.revisions)"]
        return (heading + ["before it:"] + lines(before).suffix(10) + ["beside it:"] + lines(beside))
            .joined(separator: "\n")
    }
}
