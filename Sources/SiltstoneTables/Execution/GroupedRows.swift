import TableKit

/// The rows that a join has read, by the values that they are joined by: the rows of each value lie side by side, in their
/// order. A look-up then copies one piece of memory; rows where the table has them would be one cache miss each.
struct GroupedRows {
    let rows: RowBuffer
    /// For each value, by its number, where its rows are.
    private let groups: [(start: Int32, end: Int32)]

    /// - Parameters:
    ///   - ranked: in the order that rows of one value have.
    ///   - count: how many values there are.
    init(_ ranked: RankedRows, count: Int) {
        if let groups = GroupedRows.groups(ranked.groups, count: count) {
            rows = ranked.rows
            self.groups = groups
        } else {
            (rows, groups) = GroupedRows.sorted(ranked, count: count)
        }
    }

    /// Where the rows of a value are.
    subscript(group: Int32) -> Range<Int> { Int(groups[Int(group)].start)..<Int(groups[Int(group)].end) }

    /// Where the rows of each value are; nil where they do not lie side by side.
    private static func groups(_ numbers: [Int32], count: Int) -> [(start: Int32, end: Int32)]? {
        var groups = [(start: Int32, end: Int32)](repeating: (0, 0), count: count)
        var start = 0
        while start < numbers.count {
            let number = numbers[start]
            if groups[Int(number)].end > 0 { return nil }
            var end = start + 1
            while end < numbers.count, numbers[end] == number { end += 1 }
            groups[Int(number)] = (Int32(start), Int32(end))
            start = end
        }
        return groups
    }

    /// Brings the rows of each value together: a counting sort.
    private static func sorted(_ ranked: RankedRows, count: Int) -> (RowBuffer, [(start: Int32, end: Int32)]) {
        let old = ranked.rows
        var groups = [(start: Int32, end: Int32)](repeating: (0, 0), count: count)
        var bytes = [Int](repeating: 0, count: count)
        for (row, group) in ranked.groups.enumerated() {
            groups[Int(group)].end += 1
            bytes[Int(group)] += old[range: row].count
        }
        var (rowCount, byteCount): (Int32, Int) = (0, 0)
        for group in 0..<count {
            let (rows, size) = (groups[group].end, bytes[group])
            groups[group] = (rowCount, rowCount)
            bytes[group] = byteCount
            rowCount += rows
            byteCount += size
        }
        var new = RowBuffer()
        new.ends = [Int](repeating: 0, count: old.count)
        new.bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { target, initialized in
            old.bytes.withUnsafeBytes { source in
                for (row, group) in ranked.groups.enumerated() {
                    let (group, range) = (Int(group), old[range: row])
                    UnsafeMutableRawBufferPointer(target)[bytes[group]...]
                        .copyBytes(from: UnsafeRawBufferPointer(rebasing: source[range]))
                    bytes[group] += range.count
                    new.ends[Int(groups[group].end)] = bytes[group]
                    groups[group].end += 1
                }
            }
            initialized = byteCount
        }
        return (new, groups)
    }
}

extension RowBuffer {
    /// Appends some rows of another buffer, which lie side by side.
    mutating func append(_ range: Range<Int>, of other: RowBuffer) {
        guard !range.isEmpty else { return }
        let start = other[range: range.lowerBound].lowerBound
        let end = other.ends[range.upperBound - 1]
        let shift = bytes.count - start
        bytes += other.bytes[start..<end]
        for row in range { ends.append(other.ends[row] + shift) }
    }
}
