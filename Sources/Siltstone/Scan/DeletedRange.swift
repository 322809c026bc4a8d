/// A range of keys that a scan has found empty, so that later scans can skip it.
///
/// `[start, end)` is empty for every reader that sees change `sequence`. The keys after it, `[end, watchedEnd)`, are
/// watched: no key was put there since change `watchedSince`. If a scan that sees `watchedSince` finds some of these
/// keys absent, they are absent for all later readers too, so the range grows over them.
///
/// Guarded by the lock of ``DeletedRangeCache``.
struct DeletedRange: Sendable {
    private var start: [UInt8]
    /// Exclusive. Equal to ``start`` while no key is known to be absent.
    private(set) var end: [UInt8]
    /// The range is empty for readers that see this change.
    private(set) var sequence: SequenceNumber = 0
    /// Exclusive; nil if the watched part has no upper bound.
    private var watchedEnd: [UInt8]?
    private var watchedSince: SequenceNumber
    /// The last time that the range was used, in ticks of the ``DeletedRangeCache`` clock.
    var lastUse: UInt64 = 0

    /// Makes a range without keys, and starts to watch the keys from `key` on.
    /// - Parameter since: ``cut(by:_:)`` is called for each put after this change.
    init(at key: Bytes, since: SequenceNumber) {
        start = [UInt8](key)
        end = start
        watchedSince = since
    }

    /// Must be called before a put of `key` becomes visible. If the key is inside, splits the range: this one keeps the
    /// part before the key and watches only the key; the part after it is returned. When the key has been deleted, this
    /// range may grow over it and join the other one. A key in the watched part ends that part.
    /// - Parameter change: the sequence number of the put.
    /// - Returns: the range after the key; nil if it is empty.
    mutating func cut(by key: Bytes, _ change: SequenceNumber) -> DeletedRange? {
        guard Self.order(start, key) <= 0 else { return nil }
        guard Self.order(end, key) > 0 else {
            if watchedEnd.map({ Self.order($0, key) > 0 }) ?? true { watchedEnd = [UInt8](key) }
            return nil
        }
        var behind = self
        behind.start = Self.successor(of: key)
        end = [UInt8](key)
        watchedEnd = behind.start
        watchedSince = change
        return behind.start == behind.end ? nil : behind
    }

    /// Merges `other` if it starts inside this range or at its end; returns false otherwise.
    mutating func join(_ other: DeletedRange) -> Bool {
        guard compare(start, other.start) <= 0, compare(end, other.start) >= 0 else { return false }
        lastUse = max(lastUse, other.lastUse)
        if compare(end, other.end) < 0 {
            (end, watchedEnd, watchedSince) = (other.end, other.watchedEnd, other.watchedSince)
            sequence = max(sequence, other.sequence)
        }
        return true
    }

    /// Whether a scan that starts at `key` may start at ``end`` instead, if it sees change ``sequence``. Also true at
    /// ``end``, because a scan that starts there can extend the range.
    func contains(_ key: Bytes) -> Bool { Self.order(start, key) <= 0 && Self.order(end, key) >= 0 }

    /// Records that a scan which started in this range found no entry up to `key`, inclusive.
    /// - Parameters:
    ///   - key: the last key that the scan found deleted.
    ///   - seen: the last change that the scan sees.
    ///   - lastPut: a number such that ``cut(by:_:)`` is called for every later put.
    mutating func grow(through key: Bytes, seen: SequenceNumber, lastPut: SequenceNumber) {
        guard seen >= watchedSince else { return }
        if Self.order(end, key) <= 0 {
            let isBounded = watchedEnd.map { Self.order($0, key) <= 0 } ?? false
            let reached = isBounded ? watchedEnd : Self.successor(of: key)
            if let reached, reached != end { (end, sequence) = (reached, max(sequence, seen)) }
        }
        // Watches everything after the end again. Puts up to `lastPut` may lie there, so only a scan that sees
        // `lastPut` can grow the range next.
        watchedEnd = nil
        watchedSince = lastPut
    }

    /// The smallest key after another one.
    static func successor(of key: Bytes) -> [UInt8] { [UInt8](key) + [0] }

    /// Compares two keys: negative, 0 or positive.
    private static func order(_ one: [UInt8], _ other: Bytes) -> Int { one.withBytes { compareKeys($0, other) } }
}
