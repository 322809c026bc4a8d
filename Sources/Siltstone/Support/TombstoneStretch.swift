/// Consecutive keys to which the same range tombstones apply. A scan looks them up once for all of these keys, instead
/// of for each.
struct TombstoneStretch {
    /// The newest visible tombstone that covers all of the keys; 0 for none.
    private(set) var covering: SequenceNumber = 0
    /// The end of the stretch in the direction of the scan: forward the first key after it, backward the last key in
    /// it; nil if the stretch has no end. Valid as long as the sets it was created from.
    private(set) var end: Bytes?

    /// Creates a stretch of all keys, none of them covered.
    init() {}

    /// Creates the stretch at a position of a scan.
    /// - Parameters:
    ///   - place: forward the smallest key that may come next, backward the exclusive upper bound of the keys to come;
    ///     nil at the start of a scan over all keys.
    ///   - sets: the tombstones of all sources of the scan.
    ///   - visible: the largest visible sequence number.
    init(at place: Bytes?, _ direction: ScanDirection, _ sets: [RangeTombstones], visible: SequenceNumber) {
        for set in sets {
            switch direction {
            case .forward: lookAhead(set, SearchKey(place ?? .emptyBytes), visible)
            case .backward: lookBack(set, place.map { SearchKey($0) }, visible)
            }
        }
    }

    /// Applies one set, for a forward scan.
    private mutating func lookAhead(_ set: RangeTombstones, _ key: SearchKey, _ visible: SequenceNumber) {
        let index = set.index
        let next = index.countOfStarts(upTo: key, includingEqual: true)
        if next > 0, compareKeys(key.bytes, index.end(next - 1)) < 0 {
            covering = max(covering, set.newest(of: next - 1, visible: visible))
            shorten(to: index.end(next - 1)) { compareKeys($0, $1) < 0 }
        } else if next < index.count {
            shorten(to: index.start(next)) { compareKeys($0, $1) < 0 }
        }
    }

    /// Applies one set, for a backward scan.
    private mutating func lookBack(_ set: RangeTombstones, _ place: SearchKey?, _ visible: SequenceNumber) {
        let index = set.index
        let last = (place.map { index.countOfStarts(upTo: $0, includingEqual: false) } ?? index.count) - 1
        guard last >= 0 else { return }
        if let place, compareKeys(place.bytes, index.end(last)) <= 0 {
            covering = max(covering, set.newest(of: last, visible: visible))
            shorten(to: index.start(last)) { compareKeys($0, $1) > 0 }
        } else {
            shorten(to: index.end(last)) { compareKeys($0, $1) > 0 }
        }
    }

    /// Moves the end of the stretch to `key`, unless it ends before that.
    /// - Parameter isBefore: the order of keys in the direction of the scan.
    private mutating func shorten(to key: Bytes, isBefore: (Bytes, Bytes) -> Bool) {
        if let known = end, !isBefore(key, known) { return }
        end = key
    }

    /// Returns true if a key that a scan finds after the start of the stretch is in the stretch.
    func holds(_ key: Bytes, _ direction: ScanDirection) -> Bool {
        guard let end else { return true }
        let order = compareKeys(key, end)
        return direction == .forward ? order < 0 : order >= 0
    }
}
