/// What a point read needs of a run: its segments, and which of them may have a key.
struct RunProbe: BitwiseCopyable, Sendable {
    private let segments: ElementRow<SegmentProbe>
    /// The digests of the first keys of all segments but the first one, behind what all of them begin with.
    private let digests: ElementRow<UInt64>
    /// Of the first segment's first key; lives as long as its reader.
    private let commonPrefix: SearchKey

    /// Shorter prefixes are part of the digests: to compare them takes longer than it gains.
    private static let shortestPrefix = 8

    /// - Parameter segments: in key order; there must be one at least.
    init(_ segments: [SegmentProbe]) {
        self.segments = ElementRow(segments)
        let count = segments.count
        digests = ElementRow(count: count - 1)
        let first = SearchKey(segments[0].firstKey)
        // Keys are in order: what the outermost have in common, all have.
        let common = first.commonPrefix(with: SearchKey(segments[count - 1].firstKey))
        commonPrefix = first.prefix(common < Self.shortestPrefix ? 0 : common)
        for index in 0..<count - 1 {
            let key = SearchKey(segments[index + 1].firstKey)
            digests[index] = key.digest(after: commonPrefix.count)
        }
    }

    /// A run without segments.
    static var empty: RunProbe { RunProbe() }

    private init() {
        segments = ElementRow(count: 0)
        digests = ElementRow(count: 0)
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
    func segment(for key: SearchKey) -> ElementPlace<SegmentProbe>? {
        // A key before all of the only segment's is not in its index either.
        if _fastPath(segments.count == 1) { return segments.place(0) }
        return segments.count == 0 ? nil : segmentByDigest(key)
    }

    @inline(__always)
    private func segmentByDigest(_ key: SearchKey) -> ElementPlace<SegmentProbe>? {
        guard _fastPath(commonPrefix.count == 0 || key.hasPrefix(commonPrefix)) else {
            return Self.segmentByKey(segments, key)
        }
        let digest = key.digest(after: commonPrefix.count)
        let low = digests.count(below: digest, of: digests.count)
        if _slowPath(low < digests.count && digests[low] == digest) { return Self.segmentByKey(segments, key) }
        return segments.place(low)
    }

    /// By whole keys.
    @inline(never)
    private static func segmentByKey(
        _ segments: ElementRow<SegmentProbe>, _ key: SearchKey
    ) -> ElementPlace<SegmentProbe>? {
        var low = 0
        var high = segments.count
        while low < high {
            let middle = (low &+ high) &>> 1
            if compareKeysByWords(segments.place(middle).value.firstKey, key.bytes) > 0 {
                high = middle
            } else {
                low = middle &+ 1
            }
        }
        return low == 0 ? nil : segments.place(low &- 1)
    }
}
