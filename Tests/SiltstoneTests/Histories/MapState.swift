/// The sequential specification: a map from few keys to revisions, which an operation either fits or contradicts.
struct MapState: Sendable, Equatable {
    /// The revision of each key that is not absent.
    private(set) var revisions: [Int: Revision]
    /// A hash of the map that is brought up to date with each change (Zobrist, 1970), so that a search can remember
    /// millions of states in 16 bytes each.
    private(set) var fingerprint: UInt64 = 0

    init(_ revisions: [Int: Revision] = [:]) {
        self.revisions = revisions.filter { $0.value != .absent }
        for (key, revision) in self.revisions { fingerprint ^= Self.hash(key, revision) }
    }

    subscript(key: Int) -> Revision { revisions[key] ?? .absent }

    /// The state after an operation; nil where what the operation saw is not what it would have seen.
    func applying(_ effect: Effect) -> MapState? {
        switch effect {
        case .observe(let observations):
            return observations.allSatisfy { $0.seen.agrees(with: self[$0.key]) } ? self : nil
        case .write(let changes):
            var next = self
            for change in changes { next.set(change) }
            return next
        case .conditional(let change, let condition, let held):
            let holds = condition.holds(for: self[change.key])
            if let held, held != holds { return nil }
            if !holds { return self }
            var next = self
            next.set(change)
            return next
        }
    }

    /// The part of the state that concerns one key.
    func restricted(to key: Int) -> MapState { MapState([key: self[key]]) }

    private mutating func set(_ change: Change) {
        let old = self[change.key]
        if old != .absent { fingerprint ^= Self.hash(change.key, old) }
        if change.revision != .absent { fingerprint ^= Self.hash(change.key, change.revision) }
        revisions[change.key] = change.revision == .absent ? nil : change.revision
    }

    private static func hash(_ key: Int, _ revision: Revision) -> UInt64 {
        var mixer = SeededGenerator(UInt64(bitPattern: Int64(key)) << 48 ^ UInt64(bitPattern: Int64(revision)))
        return mixer.next()
    }
}
