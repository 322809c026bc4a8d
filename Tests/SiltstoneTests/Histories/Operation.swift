/// Names a value: each write of a history writes another one. 0 stands for a key that has no value.
typealias Revision = Int

extension Revision {
    /// The key has no value.
    static let absent = 0
}

/// One operation of a history: when it began and ended, and what it did to the store or saw of it.
struct Operation: Sendable {
    /// Who called.
    var thread: Int
    /// The time of the call, by the history's own clock.
    var invoked: Int
    /// The time of the return; ``Operation/never`` where it is not known whether, or until when, the operation took place.
    var returned: Int
    var effect: Effect

    /// The return of an operation that may have happened, may happen yet, or not at all.
    static let never = Int.max

    var isCertain: Bool { returned != Self.never }
}

/// What an operation does at its one moment.
enum Effect: Sendable, Hashable {
    /// Gives keys new revisions, at once: a put, a delete, a batch, the removal of a range.
    case write([Change])
    /// Makes the change if the condition holds. `held` is what the caller was told; nil where it was told nothing.
    case conditional(Change, KeyCondition, held: Bool?)
    /// Saw all of these at once: a get, a multi-get, a scan, or all that was read through one snapshot.
    case observe([Observation])
}

/// A key's new revision.
struct Change: Sendable, Hashable {
    var key: Int
    var revision: Revision
}

/// What a conditional change asks of its key.
enum KeyCondition: Sendable, Hashable {
    case absent
    case present
    case equals(Revision)

    func holds(for revision: Revision) -> Bool {
        switch self {
        case .absent: revision == .absent
        case .present: revision != .absent
        case .equals(let expected): revision == expected
        }
    }
}

/// What was seen of a key.
struct Observation: Sendable, Hashable {
    var key: Int
    var seen: Seen

    /// What a read tells of a key.
    enum Seen: Sendable, Hashable {
        case revision(Revision)
        /// That it has a value, not which.
        case present

        func agrees(with revision: Revision) -> Bool {
            switch self {
            case .revision(let seen): seen == revision
            case .present: revision != .absent
            }
        }
    }
}

extension Effect {
    /// The effect on one key alone; nil where it has none.
    ///
    /// A history is linearizable only if its restriction to each key is (Herlihy and Wing, "Linearizability", 1990).
    func restricted(to key: Int) -> Effect? {
        switch self {
        case .write(let changes):
            let own = changes.filter { $0.key == key }
            return own.isEmpty ? nil : .write(own)
        case .conditional(let change, _, _): return change.key == key ? self : nil
        case .observe(let observations):
            let own = observations.filter { $0.key == key }
            return own.isEmpty ? nil : .observe(own)
        }
    }
}

extension Operation: CustomStringConvertible {
    var description: String {
        let end = isCertain ? "\(returned)" : "?"
        return "[\(invoked)–\(end)] thread \(thread): \(effect)"
    }
}

extension Effect: CustomStringConvertible {
    var description: String {
        switch self {
        case .write(let changes): return "write " + changes.map { "\($0.key)=\($0.revision)" }.joined(separator: " ")
        case .conditional(let change, let condition, let held):
            let outcome = held.map { $0 ? "held" : "did not hold" } ?? "unknown"
            return "\(change.key)=\(change.revision) if \(condition): \(outcome)"
        case .observe(let seen):
            return "saw "
                + seen.map { observation in
                    switch observation.seen {
                    case .revision(let revision): "\(observation.key)=\(revision)"
                    case .present: "\(observation.key)≠0"
                    }
                }.joined(separator: " ")
        }
    }
}
