import Siltstone
import TableKit

/// Looks up the rows of a table by values of one column: one step of a join.
final class JoinLookup<Reader: KeyValueReader> {
    private let runner: PlanRunner<Reader>
    let table: TableAccess
    let column: Int
    private let condition: Condition
    private let terms: [OrderTerm]
    private let isAcrossValues: Bool
    let method: PhysicalPlan.Lookup
    private let place: ColumnReader
    /// All rows with their values, after the hash table was built.
    private var hash: (rows: RankedRows, keys: JoinKeys, members: [[Int32]])?
    /// For each hashed row its index in the batch; -1 if it is not in it.
    private var places: [Int32] = []
    /// The hashed rows grouped by value, for joins that need all rows of a value.
    var groupedHash: (rows: GroupedRows, keys: JoinKeys)?
    /// For each value the index of its rows in the batch; -1 if they are not in it.
    var groupPlaces: [Int32] = []

    /// The result for a batch.
    struct Found {
        /// The rows found, in the join's order.
        var rows = RowBuffer()
        /// For each owner the indexes of its rows, ascending.
        var members: [[Int32]] = []
    }

    /// - Parameters:
    ///   - condition: the condition on the rows, as source 0.
    ///   - terms: the order of the rows.
    ///   - isAcrossValues: true if the order must hold across different values, not only within each.
    init(
        _ runner: PlanRunner<Reader>, _ table: TableAccess, column: Int, condition: Condition, terms: [OrderTerm],
        isAcrossValues: Bool, method: PhysicalPlan.Lookup
    ) {
        self.runner = runner
        self.table = table
        self.column = column
        self.condition = condition
        self.terms = terms
        self.isAcrossValues = isAcrossValues
        self.method = method
        place = ColumnReader(column, shape: table.shape)
    }

    /// Looks up the rows for the values of some owners. NULL has none.
    func find(_ values: [ColumnValue]) throws -> Found {
        switch method {
        case .order(let order): return try find(values, along: order)
        case .hash: return try findHashed(values)
        }
    }

    private func find(_ values: [ColumnValue], along order: KeyOrder) throws -> Found {
        var keys = JoinKeys(table.types[column])
        let numbers = values.map { keys.add($0) }
        if keys.count == 0 { return Found(members: values.map { _ in [] }) }
        var ranked = try rows(of: values, keys, along: order)
        ranked.rank(isAcrossValues: isAcrossValues)
        let members = ranked.members(of: keys.count)
        return Found(rows: ranked.rows, members: numbers.map { $0.map { members[Int($0)] } ?? [] })
    }

    /// The rows with any of some values, and the numbers of their values.
    func rows(of values: [ColumnValue], _ keys: JoinKeys, along order: KeyOrder) throws -> RankedRows {
        let finder = PathFinder(reader: runner.reader)
        let path = try finder.path(
            table, order, .all([.among(values, column, table.types[column]), condition]), isEstimated: false)
        var ranked = RankedRows(SortKey(terms, of: table))
        try runner.source(path, of: table).forEach { key, row in
            guard let number = try keys.number(place.place(in: row), in: row) else { return true }
            try ranked.append(key, row, group: number)
            return true
        }
        return ranked
    }

    private func findHashed(_ values: [ColumnValue]) throws -> Found {
        let hash = try self.hash ?? hashAll()
        if self.hash == nil {
            self.hash = hash
            places = [Int32](repeating: -1, count: hash.rows.rows.count)
        }
        var found = Found()
        found.members.reserveCapacity(values.count)
        var needed: [Int32] = []
        for value in values {
            let members = hash.keys.number(of: value).map { hash.members[Int($0)] } ?? []
            found.members.append(members)
            for row in members where places[Int(row)] < 0 {
                places[Int(row)] = 0
                needed.append(row)
            }
        }
        if isAcrossValues { needed.sort() }
        for (place, row) in needed.enumerated() {
            places[Int(row)] = Int32(place)
            hash.rows.rows.withRow(Int(row)) { found.rows.append($0) }
        }
        for owner in found.members.indices {
            for index in found.members[owner].indices {
                found.members[owner][index] = places[Int(found.members[owner][index])]
            }
        }
        for row in needed { places[Int(row)] = -1 }
        return found
    }

    private func hashAll() throws -> (rows: RankedRows, keys: JoinKeys, members: [[Int32]]) {
        var (ranked, keys) = try allRows()
        ranked.rank(isAcrossValues: isAcrossValues)
        return (ranked, keys, ranked.members(of: keys.count))
    }

    /// All rows that match the condition, with the numbers of their values.
    func allRows() throws -> (rows: RankedRows, keys: JoinKeys) {
        var keys = JoinKeys(table.types[column])
        var ranked = RankedRows(SortKey(terms, of: table))
        let path = try PathFinder(reader: runner.reader).cheapest(table, condition)
        try runner.source(path, of: table).forEach { key, row in
            guard let number = try keys.add(place.place(in: row), in: row) else { return true }
            try ranked.append(key, row, group: number)
            return true
        }
        return (ranked, keys)
    }
}
