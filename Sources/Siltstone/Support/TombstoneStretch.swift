/// Keys in a row to which the same range tombstones apply: what a walk asks once for all of them, instead of for each.
struct TombstoneStretch {
    /// The newest visible tombstone that covers all of the keys; 0 for none.
    private(set) var covering: SequenceNumber = 0
    /// Where the stretch ends, in the direction of the walk: forward the first key behind it, backward the last key in it; nil
    /// for the end of all. Good as long as the sets that it was made of.
    private(set) var end: Bytes?

    /// All keys, none of them covered.
    init() {}

    /// The stretch in which a walk stands.
    /// - Parameters:
    ///   - place: forward the next key that counts, backward the first that does not; nil for the first of all.
    ///   - sets: of tombstones.
    init(at place: Bytes?, _ direction: ScanDirection, _ sets: [RangeTombstones], visible: SequenceNumber) {
        for set in sets {
            switch direction {
            case .forward: lookAhead(set, SearchKey(place ?? .emptyBytes), visible)
            case .backward: lookBack(set, place.map { SearchKey($0) }, visible)
            }
        }
    }

    private mutating func lookAhead(_ set: RangeTombstones, _ key: SearchKey, _ visible: SequenceNumber) {
        let index = set.index
        let next = index.countOfStarts(upTo: key, including: true)
        if next > 0, compareKeys(key.bytes, index.end(next - 1)) < 0 {
            covering = max(covering, set.newest(of: next - 1, visible: visible))
            meet(index.end(next - 1)) { compareKeys($0, $1) < 0 }
        } else if next < index.count {
            meet(index.start(next)) { compareKeys($0, $1) < 0 }
        }
    }

    private mutating func lookBack(_ set: RangeTombstones, _ place: SearchKey?, _ visible: SequenceNumber) {
        let index = set.index
        let last = (place.map { index.countOfStarts(upTo: $0, including: false) } ?? index.count) - 1
        guard last >= 0 else { return }
        if let place, compareKeys(place.bytes, index.end(last)) <= 0 {
            covering = max(covering, set.newest(of: last, visible: visible))
            meet(index.start(last)) { compareKeys($0, $1) > 0 }
        } else {
            meet(index.end(last)) { compareKeys($0, $1) > 0 }
        }
    }

    /// Ends at a key if it ended behind it.
    private mutating func meet(_ key: Bytes, isBefore: (Bytes, Bytes) -> Bool) {
        if let known = end, !isBefore(key, known) { return }
        end = key
    }

    /// Whether a key that comes after the beginning of the stretch is in it.
    func holds(_ key: Bytes, _ direction: ScanDirection) -> Bool {
        guard let end else { return true }
        let order = compareKeys(key, end)
        return direction == .forward ? order < 0 : order >= 0
    }
}
