/// A set of keys as ranges in key order. The ranges neither overlap nor adjoin.
struct KeyRangeSet: Sendable {
    private(set) var ranges: [KeyRange] = []
    /// Bytes of the bounds of all ranges.
    private(set) var byteCount = 0

    var isEmpty: Bool { ranges.isEmpty }

    /// The index of the first range that does not end before `key`.
    /// - Complexity: O(log n)
    private func firstIndex(notEndingBefore key: Bytes) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].ends(before: key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether the set contains `key`.
    /// - Complexity: O(log n)
    func contains(_ key: Bytes) -> Bool {
        let index = firstIndex(notEndingBefore: key)
        return index < ranges.count && !ranges[index].begins(behind: key)
    }

    /// Whether the set contains any key of `[from, to)`.
    /// - Complexity: O(log n)
    func overlaps(from: Bytes, to: Bytes) -> Bool {
        let index = firstIndex(notEndingBefore: from)
        guard index < ranges.count else { return false }
        return ranges[index].from.withBytes { compareKeys($0, to) < 0 }
    }

    /// Adds the keys of a range.
    /// - Complexity: O(log n) to find the position, O(n) to move the later ranges.
    mutating func insert(_ range: KeyRange) {
        guard !range.isEmpty else { return }
        var merged = range
        var first = range.from.withBytes { firstIndex(notEndingBefore: $0) }
        // If the previous range ends where this one starts, the two are merged.
        if first > 0, ranges[first - 1].to == range.from { first -= 1 }
        var end = first
        while end < ranges.count, !hasGap(between: merged, and: ranges[end]) {
            if compare(ranges[end].from, merged.from) < 0 { merged.from = ranges[end].from }
            merged.to = later(merged.to, ranges[end].to)
            byteCount -= ranges[end].byteCount
            end += 1
        }
        byteCount += merged.byteCount
        ranges.replaceSubrange(first..<end, with: CollectionOfOne(merged))
    }

    /// Whether there are keys between the end of a range and the start of the next one.
    private func hasGap(between range: KeyRange, and next: KeyRange) -> Bool {
        guard let end = range.to else { return false }
        return compare(next.from, end) > 0
    }

    /// The later of two range ends; nil is the end without a bound.
    private func later(_ a: [UInt8]?, _ b: [UInt8]?) -> [UInt8]? {
        guard let a, let b else { return nil }
        return compare(a, b) < 0 ? b : a
    }

    /// Joins each pair of neighbours, and the keys between them. The set then has half as many ranges, and contains
    /// more keys.
    mutating func coarsen() {
        var joined: [KeyRange] = []
        joined.reserveCapacity((ranges.count + 1) / 2)
        for index in stride(from: 0, to: ranges.count, by: 2) {
            let last = ranges[min(index + 1, ranges.count - 1)]
            joined.append(KeyRange(from: ranges[index].from, to: last.to))
        }
        ranges = joined
        byteCount = joined.reduce(0) { $0 + $1.byteCount }
    }
}
