/// A range of keys that holds nothing, which one walk has found out, so that others need not.
///
/// It is `[start, end)`, and empty for all who see at least the change `sequence`. Behind it, `[end, watchedEnd)` is watched:
/// nothing was put there since the change `watchedSince`. What a walk that sees that change finds empty there is empty for all
/// who come later, too, so the range grows by it.
struct DeletedRange: Sendable {
    private var start: [UInt8]
    private(set) var end: [UInt8]
    private(set) var sequence: SequenceNumber = 0
    /// Nil for the end of all keys.
    private var watchedEnd: [UInt8]?
    private var watchedSince: SequenceNumber
    /// When it was last of use, by the clock of ``DeletedRangeCache``.
    var lastUse: UInt64 = 0

    /// A range without keys.
    /// - Parameter since: the last change, of those that are checked by ``cut(by:_:)`` no more.
    init(at key: Bytes, since: SequenceNumber) {
        start = [UInt8](key)
        end = start
        watchedSince = since
    }

    /// Takes a key out that is about to be put. It is watched from then on: once it is deleted, the range may grow over it, and
    /// join what was behind it.
    /// - Parameter change: the put's number.
    /// - Returns: what is left behind the key, a range of its own.
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

    /// Takes over another range, if that begins in this one or right behind it.
    /// - Returns: whether it does.
    mutating func join(_ other: DeletedRange) -> Bool {
        guard Self.order(start, other.start) <= 0, Self.order(end, other.start) >= 0 else { return false }
        lastUse = max(lastUse, other.lastUse)
        if Self.order(end, other.end) < 0 {
            (end, watchedEnd, watchedSince) = (other.end, other.watchedEnd, other.watchedSince)
            sequence = max(sequence, other.sequence)
        }
        return true
    }

    /// Whether a walk that begins at `key` may begin at the end instead, if it sees enough.
    func contains(_ key: Bytes) -> Bool { Self.order(start, key) <= 0 && Self.order(end, key) >= 0 }

    /// Takes note that a walk has found nothing from a key that the range contains to another one, which is included.
    /// - Parameters:
    ///   - seen: the last change that the walk sees.
    ///   - lastPut: the last change that was checked by ``cut(by:_:)``.
    mutating func grow(through key: Bytes, seen: SequenceNumber, lastPut: SequenceNumber) {
        guard seen >= watchedSince else { return }
        if Self.order(end, key) <= 0 {
            let isBounded = watchedEnd.map { Self.order($0, key) <= 0 } ?? false
            let reached = isBounded ? watchedEnd : Self.successor(of: key)
            if let reached, reached != end { (end, sequence) = (reached, max(sequence, seen)) }
        }
        watchedEnd = nil
        watchedSince = lastPut
    }

    /// The least key behind another one.
    static func successor(of key: Bytes) -> [UInt8] { [UInt8](key) + [0] }

    private static func order(_ one: [UInt8], _ other: Bytes) -> Int { one.withBytes { compareKeys($0, other) } }

    private static func order(_ one: [UInt8], _ other: [UInt8]) -> Int { other.withBytes { order(one, $0) } }
}
