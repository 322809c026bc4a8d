/// A sorted run: segments in key order whose key ranges do not overlap.
///
/// Adjacent ranges may share a key. If a segment's last key is the end of a range tombstone, which is exclusive, it may
/// also be the next segment's first key. A record of a key is always in the last segment whose first key is not larger
/// than the key.
final class Run: Sendable {
    /// The run's number in the manifest. In level 0 a larger number is newer.
    let number: UInt64
    /// In key order.
    let segments: [SegmentReader]
    let recordCount: Int
    /// First key of each segment. The readers own the bytes.
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

    /// Index of the last segment whose first key is not larger than `key`; −1 if there is none.
    /// - Complexity: O(log n) for n segments
    @inline(__always)
    func index(of key: Bytes) -> Int {
        (0..<segments.count).partitioningIndex { compareKeysByWords(firstKeys[$0], key) > 0 } &- 1
    }

    /// The only segment that can contain records of `key`; nil if there is none.
    @inline(__always)
    func segment(for key: Bytes) -> SegmentReader? {
        let index = index(of: key)
        return index < 0 ? nil : segments[index]
    }

    /// The segments whose key ranges overlap `[from, to]`. A nil bound is open.
    func overlapping(from: [UInt8]?, to: [UInt8]?) -> [SegmentReader] {
        segments.filter { segment in
            if let to, to.lexicographicallyPrecedes(segment.info.firstKey) { return false }
            if let from, segment.info.lastKey.lexicographicallyPrecedes(from) { return false }
            return true
        }
    }
}
