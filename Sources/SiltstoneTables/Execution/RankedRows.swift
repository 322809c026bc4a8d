import TableKit

/// Rows read by a join, in the join's order: a row's index is its rank, at least among the rows of its join value.
struct RankedRows {
    private(set) var rows = RowBuffer()
    /// For each row the number of its join value.
    private(set) var groups: [Int32] = []
    /// The sort keys of the rows.
    private var keys = RowBuffer()
    private let sortKey: SortKey
    /// True while rows arrive in order.
    private var ascends = true
    /// True while the rows of each value arrive together and in order, as from an index.
    private var ascendsInGroups = true
    /// For each value, true if it had a row.
    private var seen: [Bool] = []

    init(_ sortKey: SortKey) { self.sortKey = sortKey }

    mutating func append(_ key: RawSpan, _ row: RawSpan, group: Int32) throws {
        try sortKey.append(to: &keys.bytes, of: row)
        unsafe key.withUnsafeBytes { unsafe keys.bytes += $0 }
        keys.ends.append(keys.bytes.count)
        note(group)
        rows.append(row)
        groups.append(group)
    }

    /// Compares the last key with the previous one.
    private mutating func note(_ group: Int32) {
        if keys.count == 1 {
            mark(group)
            return
        }
        guard ascends || ascendsInGroups else { return }
        let (last, next) = (keys[range: keys.count - 2], keys[range: keys.count - 1])
        let isAbove = unsafe keys.bytes.withUnsafeBytes { keys in
            unsafe RowBytes.order(
                UnsafeRawBufferPointer(rebasing: keys[last]), UnsafeRawBufferPointer(rebasing: keys[next])) < 0
        }
        if groups.last != group {
            if !mark(group) { ascendsInGroups = false }
        } else if !isAbove {
            ascendsInGroups = false
        }
        if !isAbove { ascends = false }
    }

    /// - Returns: true if the value had no row before.
    @discardableResult
    private mutating func mark(_ group: Int32) -> Bool {
        let group = Int(group)
        if group >= seen.count { seen += repeatElement(false, count: max(group + 1 - seen.count, seen.count)) }
        defer { seen[group] = true }
        return !seen[group]
    }

    /// Sorts the rows. No row may be appended afterwards.
    /// - Parameter isAcrossValues: true if the order must hold across different values.
    mutating func rank(isAcrossValues: Bool) {
        defer { (keys, seen) = (RowBuffer(), []) }
        if ascends || (ascendsInGroups && !isAcrossValues) { return }
        let order = unsafe keys.bytes.withUnsafeBytes { bytes in
            (0..<keys.count).sorted { left, right in
                unsafe RowBytes.order(
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

    /// For each value, by number, the indexes of its rows, in order.
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
