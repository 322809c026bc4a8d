import TableKit

/// Rows that a join has read, brought into the join's order: a row's number is its rank, at least among those that are joined
/// by the same value.
struct RankedRows {
    private(set) var rows = RowBuffer()
    /// For each row the number of the value that it is joined by.
    private(set) var groups: [Int32] = []
    /// The sort keys, one behind the other.
    private var keys = RowBuffer()
    private let sortKey: SortKey
    /// Whether rows have come in order.
    private var ascends = true
    /// Whether the rows of each value have come together and in order, as from an index.
    private var ascendsInGroups = true
    /// Which values have had rows.
    private var seen: [Bool] = []

    init(_ sortKey: SortKey) { self.sortKey = sortKey }

    mutating func append(_ key: RawSpan, _ row: RawSpan, group: Int32) throws {
        try sortKey.append(to: &keys.bytes, of: row)
        key.withUnsafeBytes { keys.bytes += $0 }
        keys.ends.append(keys.bytes.count)
        note(group)
        rows.append(row)
        groups.append(group)
    }

    /// Compares the last key with the one before.
    private mutating func note(_ group: Int32) {
        if keys.count == 1 {
            mark(group)
            return
        }
        guard ascends || ascendsInGroups else { return }
        let (last, next) = (keys[range: keys.count - 2], keys[range: keys.count - 1])
        let isAbove = keys.bytes.withUnsafeBytes { keys in
            RowBytes.order(
                UnsafeRawBufferPointer(rebasing: keys[last]), UnsafeRawBufferPointer(rebasing: keys[next])) < 0
        }
        if groups.last != group {
            if !mark(group) { ascendsInGroups = false }
        } else if !isAbove {
            ascendsInGroups = false
        }
        if !isAbove { ascends = false }
    }

    /// - Returns: whether the value had no row before.
    @discardableResult
    private mutating func mark(_ group: Int32) -> Bool {
        let group = Int(group)
        if group >= seen.count { seen += repeatElement(false, count: max(group + 1 - seen.count, seen.count)) }
        defer { seen[group] = true }
        return !seen[group]
    }

    /// Sorts the rows. No row is appended afterwards.
    /// - Parameter isAcrossValues: whether rows of different values have an order as well.
    mutating func rank(isAcrossValues: Bool) {
        defer { (keys, seen) = (RowBuffer(), []) }
        if ascends || (ascendsInGroups && !isAcrossValues) { return }
        let order = keys.bytes.withUnsafeBytes { bytes in
            (0..<keys.count).sorted { left, right in
                RowBytes.order(
                    UnsafeRawBufferPointer(rebasing: bytes[keys[range: left]]),
                    UnsafeRawBufferPointer(rebasing: bytes[keys[range: right]])) < 0
            }
        }
        var sorted = RowBuffer()
        sorted.bytes.reserveCapacity(rows.bytes.count)
        sorted.ends.reserveCapacity(rows.count)
        for number in order { rows.withRow(number) { sorted.append($0) } }
        groups = order.map { groups[$0] }
        rows = sorted
    }

    /// For each value, by its number, the rows that have it, in their order.
    func members(of count: Int) -> [[Int32]] {
        var sizes = [Int](repeating: 0, count: count)
        for group in groups { sizes[Int(group)] += 1 }
        var members = sizes.map { size in
            var rows: [Int32] = []
            rows.reserveCapacity(size)
            return rows
        }
        for (row, group) in groups.enumerated() { members[Int(group)].append(Int32(row)) }
        return members
    }
}
