import Siltstone
import TableKit

/// Finds the rows of a table that have the values of other rows in a column: one step of a join.
final class JoinLookup<Reader: KeyValueReader> {
    private let runner: PlanRunner<Reader>
    private let table: TableAccess
    private let column: Int
    private let condition: Condition
    private let terms: [OrderTerm]
    private let method: PhysicalPlan.Lookup
    private let place: ColumnReader
    /// All rows with their values, once they are hashed.
    private var hash: (rows: RankedRows, keys: JoinKeys, members: [[Int32]])?

    /// What was found for a batch.
    struct Found {
        /// In the join's order.
        var rows = RowBuffer()
        /// For each row that was looked up for, the numbers of those found, ascending.
        var members: [[Int32]] = []
    }

    /// - Parameters:
    ///   - condition: what rows have to meet, as of source 0.
    ///   - terms: the order of the rows found.
    init(
        _ runner: PlanRunner<Reader>, _ table: TableAccess, column: Int, condition: Condition, terms: [OrderTerm],
        method: PhysicalPlan.Lookup
    ) {
        self.runner = runner
        self.table = table
        self.column = column
        self.condition = condition
        self.terms = terms
        self.method = method
        place = ColumnReader(column, shape: table.shape)
    }

    /// The rows for the values of some owners. NULL has none.
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
        let finder = PathFinder(reader: runner.reader)
        let path = try finder.path(
            table, order, .all([.among(values, column, table.types[column]), condition]), isEstimated: false)
        var ranked = RankedRows(SortKey(terms, shape: table.shape))
        try runner.source(path, of: table).forEach { key, row in
            guard let number = try keys.number(place.place(in: row), in: row) else { return true }
            try ranked.append(key, row, group: number)
            return true
        }
        ranked.rank()
        let members = ranked.members(of: keys.count)
        return Found(rows: ranked.rows, members: numbers.map { $0.map { members[Int($0)] } ?? [] })
    }

    private func findHashed(_ values: [ColumnValue]) throws -> Found {
        var hash = try self.hash ?? hashAll()
        self.hash = hash
        let known = hash.members.count
        var found = Found()
        var needed: Set<Int32> = []
        for value in values {
            // A value that no row has is numbered behind those that are there.
            guard let number = hash.keys.add(value), Int(number) < known else {
                found.members.append([])
                continue
            }
            found.members.append(hash.members[Int(number)])
            needed.formUnion(hash.members[Int(number)])
        }
        var places: [Int32: Int32] = [:]
        places.reserveCapacity(needed.count)
        for row in needed.sorted() {
            places[row] = Int32(found.rows.count)
            hash.rows.rows.withRow(Int(row)) { found.rows.append($0) }
        }
        for owner in found.members.indices {
            for index in found.members[owner].indices {
                found.members[owner][index] = places[found.members[owner][index]] ?? 0
            }
        }
        return found
    }

    private func hashAll() throws -> (rows: RankedRows, keys: JoinKeys, members: [[Int32]]) {
        var keys = JoinKeys(table.types[column])
        var ranked = RankedRows(SortKey(terms, shape: table.shape))
        let path = try PathFinder(reader: runner.reader).cheapest(table, condition)
        try runner.source(path, of: table).forEach { key, row in
            guard let number = try keys.add(place.place(in: row), in: row) else { return true }
            try ranked.append(key, row, group: number)
            return true
        }
        ranked.rank()
        return (ranked, keys, ranked.members(of: keys.count))
    }
}
