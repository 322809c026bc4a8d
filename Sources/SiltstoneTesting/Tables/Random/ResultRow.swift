public import TableKit

/// A row of a result, with its joined arrays.
public struct ResultRow: Sendable, CustomStringConvertible {
    /// The values of the selected columns.
    public var values: [ColumnValue]
    /// The rows of each array, in the order of the joins.
    public var arrays: [[ResultRow]]

    /// Creates a row.
    public init(values: [ColumnValue], arrays: [[ResultRow]] = []) {
        self.values = values
        self.arrays = arrays
    }

    /// The row as lines of text.
    public var description: String { lines(indent: 2) }

    /// The row, followed by the rows of its arrays.
    private func lines(indent: Int) -> String {
        let blanks = String(repeating: " ", count: indent)
        var text = blanks + values.map { "\($0)" }.joined(separator: ", ")
        for (number, array) in arrays.enumerated() {
            text += "\n\(blanks)- array \(number)"
            for row in array { text += "\n\(row.lines(indent: indent + 2))" }
        }
        return text
    }

    /// Whether two results are equal, in order or as multisets.
    public static func areSame(_ left: [ResultRow], _ right: [ResultRow], isOrdered: Bool) -> Bool {
        if !isOrdered { return areSame(sorted(left), sorted(right), isOrdered: true) }
        return left.count == right.count && zip(left, right).allSatisfy { order($0, $1) == 0 }
    }

    /// Whether `rows` is a sub-multiset of `all`.
    public static func isPart(_ rows: [ResultRow], of all: [ResultRow]) -> Bool {
        var rest = sorted(all)[...]
        for row in sorted(rows) {
            guard let place = rest.firstIndex(where: { order($0, row) == 0 }) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }

    private static func sorted(_ rows: [ResultRow]) -> [ResultRow] { rows.sorted { order($0, $1) < 0 } }

    private static func order(_ left: ResultRow, _ right: ResultRow) -> Int {
        if left.values.count != right.values.count { return left.values.count - right.values.count }
        for (a, b) in zip(left.values, right.values) {
            let order = order(a, b)
            if order != 0 { return order }
        }
        for (a, b) in zip(left.arrays, right.arrays) {
            if a.count != b.count { return a.count - b.count }
            for (a, b) in zip(a, b) {
                let order = order(a, b)
                if order != 0 { return order }
            }
        }
        return left.arrays.count - right.arrays.count
    }

    /// Orders values like the databases. Nearly equal reals are equal, because sums depend on the order of their terms.
    /// NaN equals NULL, as in SQLite.
    private static func order(_ left: ColumnValue, _ right: ColumnValue) -> Int {
        switch (left, right) {
        case (.real(let a), .real(let b)) where a.isFinite && b.isFinite && abs(a - b) <= 1e-9 * max(abs(a), abs(b)):
            return 0
        case (.real(let a), .null) where a.isNaN: return 0
        case (.null, .real(let b)) where b.isNaN: return 0
        default: return ColumnValue.order(left, right)
        }
    }
}

extension TableSession {
    /// All rows of a query, with joined rows.
    public func rows(of query: Query) throws -> [ResultRow] {
        let stream = try run(query)
        var results: [ResultRow] = []
        while let batch = try stream.next() {
            func row(_ source: Int, _ rows: RowBuffer, _ shape: RowShape, _ number: Int) throws -> ResultRow {
                var arrays: [[ResultRow]] = []
                for (place, join) in query.joins.enumerated() where join.parent == source {
                    let joined = batch.joined[place]
                    let members = joined.members[(number == 0 ? 0 : joined.ends[number - 1])..<joined.ends[number]]
                    arrays.append(try members.map { try row(join.source, joined.rows, joined.shape, Int($0)) })
                }
                return ResultRow(values: try rows.values(ofRow: number, shape), arrays: arrays)
            }
            for number in 0..<batch.rows.count {
                var result = try row(0, batch.rows, batch.shape, number)
                if let columns = query.columns { result.values = columns.map { result.values[$0] } }
                results.append(result)
            }
        }
        return results
    }
}
