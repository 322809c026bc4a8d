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

    /// - Parameter segments: in key order.
    init(_ segments: [SegmentProbe]) {
        self.segments = ElementRow(segments)
        digests = ElementRow(count: max(0, segments.count - 1))
        let keys = segments.map { SearchKey($0.firstKey) }
        let first = keys.first ?? SearchKey(.emptyBytes)
        // The keys are sorted, so a prefix of the first and the last key is a prefix of all.
        let common = first.commonPrefix(with: keys.last ?? first)
        commonPrefix = first.prefix(common < Self.shortestPrefix ? 0 : common)
        for index in 0..<digests.count { digests[index] = keys[index + 1].digest(after: commonPrefix.count) }
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
        let next = (0..<segments.count).partitioningIndex { index in
            compareKeysByWords(segments.place(index).value.firstKey, key.bytes) > 0
        }
        return next == 0 ? nil : segments.place(next &- 1)
    }
}
