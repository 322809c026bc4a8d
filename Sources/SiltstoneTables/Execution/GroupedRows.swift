import TableKit

/// The rows read by a join, grouped by join value. The rows of a value are contiguous and in order, so a look-up copies
/// one slice. Leaving the rows in table order lost: each row would be a cache miss.
struct GroupedRows {
    let rows: RowBuffer
    /// The range of rows of each value, by number.
    private let groups: [(start: Int32, end: Int32)]

    /// - Parameters:
    ///   - ranked: the rows, in the required order within each value.
    ///   - count: the number of values.
    init(_ ranked: RankedRows, count: Int) {
        if let groups = GroupedRows.groups(ranked.groups, count: count) {
            rows = ranked.rows
            self.groups = groups
        } else {
            (rows, groups) = GroupedRows.sorted(ranked, count: count)
        }
    }

    /// The range of rows of a value.
    subscript(group: Int32) -> Range<Int> { Int(groups[Int(group)].start)..<Int(groups[Int(group)].end) }

    /// The range of rows of each value; nil if the rows of a value are not contiguous.
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

    /// Groups the rows by value with a counting sort.
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
        new.bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { target, initialized in
            unsafe old.bytes.withUnsafeBytes { source in
                for (row, group) in ranked.groups.enumerated() {
                    let (group, range) = (Int(group), old[range: row])
                    unsafe UnsafeMutableRawBufferPointer(target)[bytes[group]...]
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
    /// Appends a range of another buffer's rows.
    mutating func append(_ range: Range<Int>, of other: RowBuffer) {
        guard !range.isEmpty else { return }
        let start = other[range: range.lowerBound].lowerBound
        let end = other.ends[range.upperBound - 1]
        let shift = bytes.count - start
        bytes += other.bytes[start..<end]
        for row in range { ends.append(other.ends[row] + shift) }
    }
}
