/// A sorted run: segments whose key ranges do not overlap, in key order.
///
/// Ranges may touch: a segment's last key may be the next one's first where the former ends with a range tombstone,
/// whose end is not in its range. A record of a key is always in the last segment that does not begin after it.
final class Run: Sendable {
    let number: UInt64
    let segments: [SegmentReader]
    let recordCount: Int
    /// Where each segment begins; the readers keep the bytes.
    private let firstKeys: HeapArray<Bytes>

    /// - Parameter segments: in any order.
    init(number: UInt64, segments: [SegmentReader]) {
        self.number = number
        self.segments = segments.sorted { $0.info.firstKey.lexicographicallyPrecedes($1.info.firstKey) }
        recordCount = segments.reduce(0) { $0 + $1.info.recordCount }
        firstKeys = HeapArray(count: segments.count)
        for (index, segment) in self.segments.enumerated() { firstKeys[index] = segment.firstKey.bytes }
    }

    var fileBytes: Int { segments.reduce(0) { $0 + $1.info.fileBytes } }

    /// Index of the last segment that does not begin after `key`; −1 where all do.
    /// - Complexity: O(log n)
    @inline(__always)
    func index(of key: Bytes) -> Int {
        var low = 0
        var high = segments.count
        while low < high {
            let middle = (low &+ high) &>> 1
            if compareKeysByWords(firstKeys[middle], key) > 0 { high = middle } else { low = middle &+ 1 }
        }
        return low &- 1
    }

    /// The segment that a record of `key` is in, if the run has one.
    @inline(__always)
    func segment(for key: Bytes) -> SegmentReader? {
        let index = index(of: key)
        return index < 0 ? nil : segments[index]
    }

    /// The segments whose ranges meet `[from, to]`; nil is open.
    func overlapping(from: [UInt8]?, to: [UInt8]?) -> [SegmentReader] {
        segments.filter { segment in
            if let to, to.lexicographicallyPrecedes(segment.info.firstKey) { return false }
            if let from, segment.info.lastKey.lexicographicallyPrecedes(from) { return false }
            return true
        }
    }
}
