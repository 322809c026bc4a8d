@testable import Siltstone

/// The states that a store may be found in, given which changes were acknowledged and which failed.
///
/// Whole states, not values of single keys: so a batch that is there in part, or a change without the one before it, is
/// seen.
struct FaultLedger {
    private(set) var states: [StoreModel]

    init(_ state: StoreModel = StoreModel()) { states = [state] }

    /// A change that is sure to be there.
    mutating func acknowledged(_ change: (inout StoreModel) -> Void) {
        for index in states.indices { change(&states[index]) }
    }

    /// A change that may or may not be there.
    mutating func uncertain(_ change: (inout StoreModel) -> Void) {
        var changed = self
        changed.acknowledged(change)
        for state in changed.states where !states.contains(where: { $0.values == state.values }) {
            states.append(state)
        }
    }

    /// Takes note of something that was seen.
    /// - Returns: false where no state has it.
    mutating func narrow(_ isPossible: (StoreModel) -> Bool) -> Bool {
        let possible = states.filter(isPossible)
        if possible.isEmpty { return false }
        states = possible
        return true
    }

    /// Whether these entries are one of the states.
    func admits(_ entries: [Entry]) -> Bool {
        let found = Dictionary(entries.map { ($0.key, $0.value) }) { $1 }
        return found.count == entries.count && states.contains { $0.values == found }
    }
}
