/// A set of keys as ranges in key order. The ranges neither overlap nor adjoin.
struct KeyRangeSet: Sendable {
    private(set) var ranges: [KeyRange] = []
    /// Bytes of the bounds of all ranges.
    private(set) var byteCount = 0

    var isEmpty: Bool { ranges.isEmpty }

    /// The index of the first range that does not end before `key`.
    /// - Complexity: O(log n)
    private func firstIndex(notEndingBefore key: Bytes) -> Int {
        ranges.indices.partitioningIndex { !ranges[$0].ends(before: key) }
    }

    /// Whether the set contains `key`.
    /// - Complexity: O(log n)
    func contains(_ key: Bytes) -> Bool {
        let index = firstIndex(notEndingBefore: key)
        return index < ranges.count && !ranges[index].begins(behind: key)
    }

    /// Whether the set contains any key of `[from, to)`, which must not be empty.
    /// - Complexity: O(log n)
    func overlaps(from: Bytes, to: Bytes) -> Bool {
        let index = firstIndex(notEndingBefore: from)
        guard index < ranges.count else { return false }
        return ranges[index].from.withBytes { compareKeys($0, to) < 0 }
    }

    /// The effect of one insertion: the ranges that one range replaces.
    struct Insertion: Sendable {
        fileprivate var index: Int
        fileprivate var replaced: [KeyRange]
    }

    /// Adds the keys of a range.
    /// - Returns: what ``undo(_:)`` needs; nil for an empty range.
    /// - Complexity: O(log n) to find the position, O(n) to move the later ranges.
    @discardableResult
    mutating func insert(_ range: KeyRange) -> Insertion? {
        guard !range.isEmpty else { return nil }
        var merged = range
        var first = range.from.withBytes { firstIndex(notEndingBefore: $0) }
        // If the previous range ends where this one starts, the two are merged.
        if first > 0, ranges[first - 1].to == range.from { first -= 1 }
        var end = first
        // Ranges without a key between them are merged, too.
        while end < ranges.count, merged.to.map({ compare(ranges[end].from, $0) <= 0 }) ?? true {
            if compare(ranges[end].from, merged.from) < 0 { merged.from = ranges[end].from }
            merged.to = merged.laterEnd(ranges[end])
            byteCount -= ranges[end].byteCount
            end += 1
        }
        byteCount += merged.byteCount
        let insertion = Insertion(index: first, replaced: Array(ranges[first..<end]))
        ranges.replaceSubrange(first..<end, with: CollectionOfOne(merged))
        return insertion
    }

    /// Undoes the last insertion that was not undone. Must not follow ``coarsen()``.
    mutating func undo(_ insertion: Insertion) {
        byteCount += insertion.replaced.reduce(-ranges[insertion.index].byteCount) { $0 + $1.byteCount }
        ranges.replaceSubrange(insertion.index...insertion.index, with: insertion.replaced)
    }

    /// Joins each pair of neighbours, and the keys between them. The set then has half as many ranges, and contains
    /// more keys.
    mutating func coarsen() {
        ranges = stride(from: 0, to: ranges.count, by: 2).map { index in
            KeyRange(from: ranges[index].from, to: ranges[min(index + 1, ranges.count - 1)].to)
        }
        byteCount = ranges.reduce(0) { $0 + $1.byteCount }
    }
}
