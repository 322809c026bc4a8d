@testable import Siltstone

/// Decides about what was recorded of one history, and says what is wrong with it.
struct HistoryJudge {
    /// The state that the history began with.
    let initial: MapState
    let recording: HistoryRecorder.Recording

    /// Everything that is wrong; nothing where all is well.
    /// - Parameter mayBeClosed: whether the store was closed meanwhile, so that calls may throw that.
    func problems(mayBeClosed: Bool) -> [String] {
        var problems = recording.problems
        for error in recording.refusals where !(mayBeClosed && error.code == .closed) {
            problems.append("a call threw \(error)")
        }
        // Each key first: the shorter history makes the better message.
        for key in HistoryKeys.all {
            if let problem = problem(of: key) { problems.append("key \(key): \(problem)") }
        }
        if problems.isEmpty, let problem = verdict(recording.operations, initial) { problems.append(problem) }
        return problems
    }

    private func problem(of key: Int) -> String? {
        let own = recording.operations.compactMap { operation -> Operation? in
            guard let effect = operation.effect.restricted(to: key) else { return nil }
            var restricted = operation
            restricted.effect = effect
            return restricted
        }
        return verdict(own, initial.restricted(to: key))
    }

    private func verdict(_ operations: [Operation], _ initial: MapState) -> String? {
        switch LinearizabilityChecker.check(operations, from: initial) {
        case .linearizable: nil
        case .violation(let violation): violation.explanation(operations)
        // Not seen in millions of operations; better to hear of it than to take it for a success.
        case .undecided: "the search for an order took too long"
        }
    }
}
