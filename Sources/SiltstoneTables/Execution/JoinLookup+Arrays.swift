import Siltstone
import TableKit

/// Fills arrays directly, without single elements: for joins that need all rows, as most do.
extension JoinLookup {
    /// Fills the arrays of some owners.
    /// - Parameter on: reads the join column of the owners.
    func fillArrays(_ joined: inout JoinedRows, of owners: RowBuffer, on: ColumnReader) throws {
        joined.ends.reserveCapacity(owners.count)
        switch method {
        case .order(let order):
            var keys = JoinKeys(table.types[column])
            var numbers: [Int32?] = []
            var values: [ColumnValue] = []
            for owner in 0..<owners.count {
                let value = try owners.withRow(owner) { (row) throws(any Error) in try on.value(in: row) }
                let known = keys.count
                numbers.append(keys.add(value))
                if keys.count > known { values.append(value) }
            }
            guard keys.count > 0 else {
                joined.ends = numbers.map { _ in 0 }
                return
            }
            var ranked = try rows(of: values, keys, along: order)
            ranked.rank(isAcrossValues: false)
            let rows = GroupedRows(ranked, count: keys.count)
            var places = [Int32](repeating: -1, count: keys.count)
            for number in numbers { Self.append(number, rows, &places, &joined) }
        case .hash:
            let hash = try groupedHash ?? hashGroups()
            groupedHash = hash
            if groupPlaces.count < hash.keys.count { groupPlaces = [Int32](repeating: -1, count: hash.keys.count) }
            var numbers: [Int32] = []
            for owner in 0..<owners.count {
                let number = try owners.withRow(owner) { (row) throws(any Error) in
                    try hash.keys.number(of: row, on)
                }
                Self.append(number, hash.rows, &groupPlaces, &joined)
                if let number { numbers.append(number) }
            }
            for number in numbers { groupPlaces[Int(number)] = -1 }
        }
    }

    /// Appends the array of an owner.
    /// - Parameter places: for each value the index of its first row in the result; -1 if its rows are not in it yet.
    @inline(__always)
    private static func append(
        _ number: Int32?, _ rows: GroupedRows, _ places: inout [Int32], _ joined: inout JoinedRows
    ) {
        if let number {
            let group = rows[number]
            if places[Int(number)] < 0 {
                places[Int(number)] = Int32(joined.rows.count)
                joined.rows.append(group, of: rows.rows)
            }
            let first = places[Int(number)]
            for member in 0..<Int32(group.count) { joined.members.append(first + member) }
        }
        joined.ends.append(joined.members.count)
    }

    private func hashGroups() throws -> (rows: GroupedRows, keys: JoinKeys) {
        var (ranked, keys) = try allRows()
        ranked.rank(isAcrossValues: false)
        return (GroupedRows(ranked, count: keys.count), keys)
    }
}

extension JoinKeys {
    /// The number of the value in a column of any table's row; nil if no joined row has it.
    fileprivate func number(of row: RawSpan, _ column: ColumnReader) throws -> Int32? {
        let place = try column.place(in: row)
        if case .slot(let slot) = place, slot.type == type { return try number(place, in: row) }
        return number(of: try column.value(in: row))
    }
}
