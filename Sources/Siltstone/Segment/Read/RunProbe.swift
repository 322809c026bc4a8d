/// What a point read needs of a run: its segments, and which of them may have a key.
///
/// `@unchecked Sendable`: as ``SegmentProbe``.
struct RunProbe: @unchecked Sendable {
    private let segments: UnsafeMutablePointer<SegmentProbe>
    private let count: Int
    /// The digests of the first keys of all segments but the first one, behind what all of them begin with.
    private let digests: UnsafeMutablePointer<UInt64>
    /// Of the first segment's first key; lives as long as its reader.
    private let commonPrefix: SearchKey

    /// Shorter prefixes are part of the digests: to compare them takes longer than it gains.
    private static let shortestPrefix = 8

    /// - Parameter segments: in key order; there must be one at least.
    init(_ segments: [SegmentProbe]) {
        count = segments.count
        self.segments = .allocate(capacity: count)
        self.segments.initialize(from: segments, count: count)
        digests = .allocate(capacity: count)
        let first = SearchKey(segments[0].firstKey)
        // Keys are in order: what the outermost have in common, all have.
        let common = first.commonPrefix(with: SearchKey(segments[count - 1].firstKey))
        commonPrefix = first.prefix(common < Self.shortestPrefix ? 0 : common)
        for index in 0..<count - 1 {
            let key = SearchKey(segments[index + 1].firstKey)
            (digests + index).initialize(to: key.digest(after: commonPrefix.count))
        }
    }

    /// A run without segments.
    static var empty: RunProbe { RunProbe() }

    private init() {
        count = 0
        segments = .allocate(capacity: 1)
        digests = .allocate(capacity: 1)
        commonPrefix = SearchKey(.emptyBytes)
    }

    /// To be called once, when nobody reads any more.
    func deallocate() {
        segments.deallocate()
        digests.deallocate()
    }

    /// The last segment that does not begin after `key`; the first, or nil, where all do.
    /// - Complexity: O(log segments)
    @inline(__always)
    func segment(for key: SearchKey) -> UnsafePointer<SegmentProbe>? {
        // A key before all of the only segment's is not in its index either.
        if _fastPath(count == 1) { return UnsafePointer(segments) }
        return count == 0 ? nil : segmentByDigest(key)
    }

    @inline(__always)
    private func segmentByDigest(_ key: SearchKey) -> UnsafePointer<SegmentProbe>? {
        guard _fastPath(commonPrefix.count == 0 || key.hasPrefix(commonPrefix)) else {
            return Self.segmentByKey(segments, count, key)
        }
        let digest = key.digest(after: commonPrefix.count)
        let low = digests.count(below: digest, of: count &- 1)
        if _slowPath(low < count &- 1 && digests[low] == digest) { return Self.segmentByKey(segments, count, key) }
        return UnsafePointer(segments + low)
    }

    /// By whole keys.
    @inline(never)
    private static func segmentByKey(
        _ segments: UnsafeMutablePointer<SegmentProbe>, _ count: Int, _ key: SearchKey
    ) -> UnsafePointer<SegmentProbe>? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) &>> 1
            if compareKeysByWords(segments[middle].firstKey, key.bytes) > 0 {
                high = middle
            } else {
                low = middle &+ 1
            }
        }
        return low == 0 ? nil : UnsafePointer(segments + (low &- 1))
    }
}
