import TableKit

/// Rows that a join has read, brought into the join's order: a row's number is its rank.
struct RankedRows {
    private(set) var rows = RowBuffer()
    /// For each row the number of the value that it is joined by.
    private(set) var groups: [Int32] = []
    private var keys: [[UInt8]] = []
    private let sortKey: SortKey
    private var scratch: [UInt8] = []

    init(_ sortKey: SortKey) { self.sortKey = sortKey }

    mutating func append(_ key: RawSpan, _ row: RawSpan, group: Int32) throws {
        try sortKey.make(&scratch, of: row)
        key.withUnsafeBytes { scratch += $0 }
        keys.append(scratch)
        rows.append(row)
        groups.append(group)
    }

    /// Sorts the rows. No row is appended afterwards.
    mutating func rank() {
        defer { keys = [] }
        if zip(keys, keys.dropFirst()).allSatisfy({ RowBytes.order($0, $1) < 0 }) { return }
        let order = keys.indices.sorted { RowBytes.order(keys[$0], keys[$1]) < 0 }
        var sorted = RowBuffer()
        sorted.bytes.reserveCapacity(rows.bytes.count)
        for number in order { rows.withRow(number) { sorted.append($0) } }
        groups = order.map { groups[$0] }
        rows = sorted
    }

    /// For each value, by its number, the rows that have it, in their order.
    func members(of count: Int) -> [[Int32]] {
        var members = [[Int32]](repeating: [], count: count)
        for (row, group) in groups.enumerated() { members[Int(group)].append(Int32(row)) }
        return members
    }
}
