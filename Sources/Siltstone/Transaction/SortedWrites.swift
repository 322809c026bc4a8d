/// An index over a transaction's batch: the latest write of each key, in key order.
///
/// The index is a list of sorted pieces of up to 256 writes, so an insertion moves a few KiB at most. A memtable
/// measured slower, because it needs its own arena, which costs more than a transaction of two writes.
///
/// The index holds only offsets, so each call needs the payload of the same batch.
struct SortedWrites: Sendable {
    /// The position of one write in the batch: its part, and the offset of its key there. The value follows the key. 32
    /// bits suffice, because a part holds one change or few bytes.
    struct Write: Sendable {
        private let part: UInt32
        private let keyOffset: UInt32
        /// The bytes of the key; the highest bit is set for a delete.
        private let keyCountAndKind: UInt32
        private let valueCount: UInt32

        /// - Parameters:
        ///   - part: the number of the part.
        ///   - end: the offset in it at which the value ends.
        @inline(__always)
        init(part: Int, end: Int, keyCount: Int, valueCount: Int, isDeletion: Bool) {
            self.part = UInt32(part)
            keyOffset = UInt32(end - valueCount - keyCount)
            keyCountAndKind = UInt32(keyCount) | (isDeletion ? 1 << 31 : 0)
            self.valueCount = UInt32(valueCount)
        }

        /// True for a delete, false for a put.
        var isDeletion: Bool { keyCountAndKind >> 31 != 0 }

        @inline(__always)
        var keyCount: Int { Int(keyCountAndKind & ~(1 << 31)) }

        @inline(__always)
        private var valueOffset: Int { Int(keyOffset) &+ keyCount }

        /// The end of the change, which can be compared with ``TransactionBatch/End/position``.
        var position: UInt64 { UInt64(part) << 32 | UInt64(valueOffset + Int(valueCount)) }

        @inline(__always)
        func key(in payload: TransactionBatch.Payload) -> Bytes {
            Bytes(rebasing: payload[Int(part)][Int(keyOffset)..<valueOffset])
        }

        @inline(__always)
        func value(in payload: TransactionBatch.Payload) -> Bytes {
            Bytes(rebasing: payload[Int(part)][valueOffset..<valueOffset &+ Int(valueCount)])
        }
    }

    /// A position among the writes: the index of a piece, and the index in it. Invalid after any change of the index.
    struct Place: Hashable, Sendable {
        var piece: Int
        var index: Int
    }

    /// A larger piece makes each insertion move more bytes; smaller ones make the list of pieces longer. The exact
    /// value was not measured.
    private static let largestPiece = 256

    /// No piece is empty.
    private var pieces: [[Write]] = []

    var isEmpty: Bool { pieces.isEmpty }

    /// - Complexity: O(n / 256) for n writes
    var count: Int { pieces.reduce(0) { $0 + $1.count } }

    /// The position after the last write.
    var end: Place { Place(piece: pieces.count, index: 0) }

    /// The write at a position; nil at the end.
    subscript(place: Place) -> Write? { place.piece < pieces.count ? pieces[place.piece][place.index] : nil }

    /// The position after `place`, which must not be the end.
    func place(after place: Place) -> Place {
        place.index + 1 < pieces[place.piece].count
            ? Place(piece: place.piece, index: place.index + 1) : Place(piece: place.piece + 1, index: 0)
    }

    /// The position before `place`; nil for the first one.
    func place(before place: Place) -> Place? {
        if place.index > 0 { return Place(piece: place.piece, index: place.index - 1) }
        guard place.piece > 0 else { return nil }
        return Place(piece: place.piece - 1, index: pieces[place.piece - 1].count - 1)
    }

    /// The position of the first write whose key is not below `key`.
    /// - Parameter payload: the encoded changes of the batch.
    /// - Complexity: O(log n) for n writes
    func firstPlace(notBelow key: Bytes, in payload: TransactionBatch.Payload) -> Place {
        let piece = pieces.indices.partitioningIndex { piece in
            let last = pieces[piece][pieces[piece].count - 1]
            return compareKeysByWords(last.key(in: payload), key) >= 0
        }
        guard piece < pieces.count else { return end }
        // Without the last write, which is known to be not below `key`.
        let index = (0..<(pieces[piece].count - 1)).partitioningIndex { index in
            compareKeysByWords(pieces[piece][index].key(in: payload), key) >= 0
        }
        return Place(piece: piece, index: index)
    }

    /// Whether a key is larger than the keys of all writes. This is always true if writes arrive in key order.
    @inline(__always)
    private func isBehindAll(_ key: Bytes, in payload: TransactionBatch.Payload) -> Bool {
        guard let piece = pieces.indices.last else { return true }
        return compareKeysByWords(pieces[piece][pieces[piece].count - 1].key(in: payload), key) < 0
    }

    /// The latest write of a key; nil if there is none.
    func write(of key: Bytes, in payload: TransactionBatch.Payload) -> Write? {
        if isEmpty || isBehindAll(key, in: payload) { return nil }
        guard let write = self[firstPlace(notBelow: key, in: payload)] else { return nil }
        return keysEqual(write.key(in: payload), key) ? write : nil
    }

    /// Adds a write.
    /// - Returns: the earlier write of the same key, which it replaces; nil if there was none.
    mutating func set(_ write: Write, in payload: TransactionBatch.Payload) -> Write? {
        let key = write.key(in: payload)
        guard !isBehindAll(key, in: payload) else {
            append(write)
            return nil
        }
        let place = firstPlace(notBelow: key, in: payload)
        if let old = self[place], keysEqual(old.key(in: payload), key) {
            pieces[place.piece][place.index] = write
            return old
        }
        pieces[place.piece].insert(write, at: place.index)
        if pieces[place.piece].count > Self.largestPiece { split(place.piece) }
        return nil
    }

    /// Adds a write after all others. If writes arrive in key order, all pieces but the last are full.
    private mutating func append(_ write: Write) {
        if let last = pieces.indices.last, pieces[last].count < Self.largestPiece {
            pieces[last].append(write)
        } else {
            pieces.append([write])
        }
    }

    /// Splits a piece that is too large into two halves.
    private mutating func split(_ piece: Int) {
        let half = pieces[piece].count / 2
        let upper = Array(pieces[piece][half...])
        pieces[piece].removeSubrange(half...)
        pieces.insert(upper, at: piece + 1)
    }

    /// Removes the write at a position, which is not the end.
    mutating func remove(at place: Place) {
        pieces[place.piece].remove(at: place.index)
        if pieces[place.piece].isEmpty { pieces.remove(at: place.piece) }
    }

    /// Removes the writes of all keys in `[from, to)`. `from` must be less than `to`.
    /// - Returns: the removed writes.
    mutating func remove(from: Bytes, to: Bytes, in payload: TransactionBatch.Payload) -> [Write] {
        let (first, last) = (firstPlace(notBelow: from, in: payload), firstPlace(notBelow: to, in: payload))
        guard first != last else { return [] }
        var removed: [Write] = []
        for piece in first.piece...min(last.piece, pieces.count - 1) {
            let start = piece == first.piece ? first.index : 0
            let end = piece == last.piece ? last.index : pieces[piece].count
            removed += pieces[piece][start..<end]
        }
        if first.piece == last.piece {
            pieces[first.piece].removeSubrange(first.index..<last.index)
        } else {
            if last.piece < pieces.count { pieces[last.piece].removeFirst(last.index) }
            pieces[first.piece].removeSubrange(first.index...)
            pieces.removeSubrange((first.piece + 1)..<last.piece)
        }
        if pieces[first.piece].isEmpty { pieces.remove(at: first.piece) }
        return removed
    }
}
