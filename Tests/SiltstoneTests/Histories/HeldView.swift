@testable import Siltstone

/// A snapshot or a cursor that is kept for a while, and everything that was ever read through it: all of that is one
/// observation, of one moment between the call that made it and its return.
final class HeldView {
    enum Source {
        case snapshot(Snapshot)
        case cursor(Cursor, ScanProgress)
    }

    var source: Source
    private let invoked: Int
    private let returned: Int
    private var seen: [Int: Observation.Seen] = [:]
    /// What it said once and denied later.
    private(set) var problems: [String] = []

    init(_ source: Source, invoked: Int, returned: Int) {
        self.source = source
        self.invoked = invoked
        self.returned = returned
    }

    /// Adds what was read.
    func add(_ observations: [Observation]) {
        for new in observations {
            switch (seen[new.key], new.seen) {
            case (nil, _), (.present, .revision(1...)): seen[new.key] = new.seen
            case (.present, .present): break
            case (.present, .revision): contradict(new)
            case (.revision(let old), let now): if !now.agrees(with: old) { contradict(new) }
            }
        }
    }

    private func contradict(_ new: Observation) {
        problems.append("a snapshot saw \(String(describing: seen[new.key])), and later \(new)")
    }

    /// All of it.
    var operation: (effect: Effect, invoked: Int, returned: Int) {
        (.observe(seen.map { Observation(key: $0.key, seen: $0.value) }), invoked, returned)
    }
}
