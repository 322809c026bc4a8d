/// The data of a run that a point read needs: its segments, and an index of their first keys.
struct RunProbe: BitwiseCopyable, Sendable {
    private let segments: ElementRow<SegmentProbe>
    /// Abbreviated first keys: for each segment but the first, the 8 bytes of its first key after ``commonPrefix``, as a
    /// big-endian integer. They are in key order.
    private let digests: ElementRow<UInt64>
    /// The shared prefix of all first keys. It points into the first segment's memory, so it must not
    /// outlive that segment's reader.
    private let commonPrefix: SearchKey

    /// A shorter prefix stays part of the digests, because to compare it takes longer than to search longer digests.
    private static let shortestPrefix = 8

    /// - Parameter segments: at least one, in key order.
    init(_ segments: [SegmentProbe]) {
        self.segments = ElementRow(segments)
        let count = segments.count
        digests = ElementRow(count: count - 1)
        let first = SearchKey(segments[0].firstKey)
        // The keys are sorted, so a prefix of the first and the last key is a prefix of all.
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

    /// Frees the memory. Called once, when no thread reads any more.
    func deallocate() {
        segments.deallocate()
        digests.deallocate()
    }

    /// The last segment whose first key is not larger than `key`. If all are larger, the first segment or nil:
    /// both are correct, because the first segment does not contain the key.
    /// - Complexity: O(log segments)
    @inline(__always)
    func segment(for key: SearchKey) -> ElementPlace<SegmentProbe>? {
        // With a single segment, the check of the first key is skipped. If the key is smaller, the segment's hash index
        // does not contain it either.
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
        // Different keys can have the same 8 bytes.
        if _slowPath(low < digests.count && digests[low] == digest) { return Self.segmentByKey(segments, key) }
        return segments.place(low)
    }

    /// Compares complete keys instead of digests.
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
