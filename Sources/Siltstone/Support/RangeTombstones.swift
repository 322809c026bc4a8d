/// The deletion of all keys in `[start, end)`.
struct RangeTombstone: Hashable, Sendable {
    var start: [UInt8]
    /// The first key after the range.
    var end: [UInt8]
    var sequence: SequenceNumber
}

/// A set of range tombstones, cut into fragments that do not overlap, so that the lookup of a key is one binary search.
///
/// A fragment keeps all sequence numbers that cover it, newest first, because a snapshot may see only an older one.
/// Immutable: a writer creates a new set and publishes it. (The fragments are RocksDB's, "DeleteRange: a new native
/// RocksDB operation", 2018.)
final class RangeTombstones: Sendable {
    /// A part of the key space in which the same tombstones apply: the keys in `[start, end)`.
    struct Fragment: Sendable {
        var start: [UInt8]
        var end: [UInt8]
        /// The sequence numbers of these tombstones, newest first; at least one.
        var sequences: [SequenceNumber]
    }

    /// The tombstones as given, sorted by start.
    let tombstones: [RangeTombstone]
    /// Sorted, without overlap.
    let fragments: [Fragment]
    /// The fragments in the form that searches use.
    let index: FragmentIndex

    static let empty = RangeTombstones([])

    var isEmpty: Bool { tombstones.isEmpty }

    /// Creates a set; empty ranges are dropped.
    /// - Complexity: O(*n* log *n*) in the number of tombstones if few overlap, O(*n*²) at worst.
    convenience init(_ tombstones: [RangeTombstone]) {
        let valid = tombstones.filter { $0.start.lexicographicallyPrecedes($0.end) }
        let sorted = valid.sorted { $0.start.lexicographicallyPrecedes($1.start) }
        self.init(tombstones: sorted, fragments: Self.fragment(sorted))
    }

    private init(tombstones: [RangeTombstone], fragments: [Fragment]) {
        self.tombstones = tombstones
        self.fragments = fragments
        index = FragmentIndex(fragments)
    }

    deinit { index.deallocate() }

    /// Returns this set with one more tombstone. The result equals a set that is created from all tombstones at once.
    /// - Complexity: O(*n*) in the number of fragments, and in the sequence numbers of those that overlap it.
    func adding(_ tombstone: RangeTombstone) -> RangeTombstones {
        guard tombstone.start.lexicographicallyPrecedes(tombstone.end) else { return self }
        var tombstones = tombstones
        let place = tombstones.indices.partitioningIndex {
            tombstone.start.lexicographicallyPrecedes(tombstones[$0].start)
        }
        tombstones.insert(tombstone, at: place)
        let overlapping = fragments(meeting: KeyRange(from: tombstone.start, to: tombstone.end))
        var fragments = fragments
        fragments.replaceSubrange(overlapping.indices, with: Self.overlay(tombstone, on: overlapping))
        return RangeTombstones(tombstones: tombstones, fragments: fragments)
    }

    /// Returns the fragments that overlap a tombstone, cut at its ends, and new fragments for the gaps between them.
    private static func overlay(_ tombstone: RangeTombstone, on fragments: ArraySlice<Fragment>) -> [Fragment] {
        var result: [Fragment] = []
        var position = tombstone.start
        for fragment in fragments {
            if fragment.start.lexicographicallyPrecedes(position) {
                result.append(Fragment(start: fragment.start, end: position, sequences: fragment.sequences))
            } else if position != fragment.start {
                result.append(Fragment(start: position, end: fragment.start, sequences: [tombstone.sequence]))
                position = fragment.start
            }
            let isCut = tombstone.end.lexicographicallyPrecedes(fragment.end)
            let end = isCut ? tombstone.end : fragment.end
            var sequences = fragment.sequences
            let rank = sequences.firstIndex { $0 <= tombstone.sequence } ?? sequences.count
            if rank == sequences.count || sequences[rank] != tombstone.sequence {
                sequences.insert(tombstone.sequence, at: rank)
            }
            result.append(Fragment(start: position, end: end, sequences: sequences))
            if isCut { result.append(Fragment(start: end, end: fragment.end, sequences: fragment.sequences)) }
            position = end
        }
        if position.lexicographicallyPrecedes(tombstone.end) {
            result.append(Fragment(start: position, end: tombstone.end, sequences: [tombstone.sequence]))
        }
        return result
    }

    /// Cuts tombstones that are sorted by start into fragments.
    private static func fragment(_ sorted: [RangeTombstone]) -> [Fragment] {
        guard !sorted.isEmpty else { return [] }
        var borders = sorted.flatMap { [$0.start, $0.end] }
        borders.sort { $0.lexicographicallyPrecedes($1) }
        var fragments: [Fragment] = []
        // The tombstones over the next fragment, newest first.
        var active: [RangeTombstone] = []
        var next = 0
        for (start, end) in zip(borders, borders.dropFirst()) where start != end {
            active.removeAll { !start.lexicographicallyPrecedes($0.end) }
            while next < sorted.count, !start.lexicographicallyPrecedes(sorted[next].start) {
                let sequence = sorted[next].sequence
                active.insert(sorted[next], at: active.indices.partitioningIndex { active[$0].sequence < sequence })
                next += 1
            }
            if active.isEmpty { continue }
            var sequences: [SequenceNumber] = []
            sequences.reserveCapacity(active.count)
            for tombstone in active where tombstone.sequence != sequences.last { sequences.append(tombstone.sequence) }
            fragments.append(Fragment(start: start, end: end, sequences: sequences))
        }
        return fragments
    }

    /// Returns the fragments that overlap a range.
    /// - Complexity: O(log *n*) in the number of fragments
    func fragments(meeting range: KeyRange) -> ArraySlice<Fragment> {
        let first = fragments.indices.partitioningIndex { range.from.lexicographicallyPrecedes(fragments[$0].end) }
        guard let to = range.to else { return fragments[first...] }
        let rest = first..<fragments.count
        return fragments[first..<rest.partitioningIndex { !fragments[$0].start.lexicographicallyPrecedes(to) }]
    }

    /// Returns the largest sequence number, at most `visible`, of a tombstone that covers `key`; 0 if there is none.
    func newestCovering(_ key: Bytes, visible: SequenceNumber) -> SequenceNumber {
        let fragment = index.fragment(holding: SearchKey(key))
        return fragment < 0 ? 0 : newest(of: fragment, visible: visible)
    }

    /// Returns true if each key from `first` through `last` is covered by a tombstone with a sequence number in
    /// `(oldest, newest]`.
    func covers(
        from first: [UInt8], through last: [UInt8], newerThan oldest: SequenceNumber, upTo newest: SequenceNumber
    ) -> Bool {
        var position = first
        for fragment in fragments(meeting: KeyRange(from: first, to: last + [0])) {
            if position.lexicographicallyPrecedes(fragment.start) { return false }
            guard let sequence = fragment.sequences.first(where: { $0 <= newest }), sequence > oldest else {
                return false
            }
            position = fragment.end
        }
        return last.lexicographicallyPrecedes(position)
    }

    /// Returns the largest sequence number, at most `visible`, of the fragment with an index; 0 if there is none.
    func newest(of fragment: Int, visible: SequenceNumber) -> SequenceNumber {
        fragments[fragment].sequences.first { $0 <= visible } ?? 0
    }
}
