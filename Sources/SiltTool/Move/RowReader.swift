import TableKit

/// Reads the rows of a table in the order of its key.
///
/// Tables with one plain key are read in pages: servers and their drivers hold some hundred rows at a time, whatever their
/// size, and MariaDB stores the whole result of a query before its first row. Other tables are read in one query, because
/// not every database finds the start of a page by their key's index.
struct RowReader {
    /// The most rows of a page.
    private static let pageRows = 5000

    let structure: TableStructure
    let session: any TableSession
    /// The last row read before, of which only the key counts. Nil: starts at the first row.
    var last: [ColumnValue]?

    /// Passes the rows to `body`.
    func forEach(_ body: ([ColumnValue]) throws -> Void) throws {
        guard isPaged else { return try session.forEachRow(query(after: last), body) }
        var limit = PageLimit(most: Self.pageRows)
        var last = last
        while true {
            var query = query(after: last)
            query.limit = RowLimit(count: limit.count)
            var (count, largest) = (0, 0)
            let stream = try session.run(query)
            while let batch = try stream.next() {
                for number in 0..<batch.rows.count {
                    largest = max(largest, batch.rows[range: number].count)
                    let row = try batch.rows.values(ofRow: number, batch.shape)
                    try body(row)
                    last = row
                }
                count += batch.rows.count
            }
            if count < limit.count { return }
            limit.adapt(largest: largest)
        }
    }

    /// Whether the key is one column whose values every database compares as they are stored.
    private var isPaged: Bool {
        guard structure.primaryKey.count == 1 else { return false }
        let type = structure.columns[structure.primaryKey[0]].type
        return type == .bytes || type.isInteger && type != .uint64
    }

    private func query(after last: [ColumnValue]?) -> Query {
        var query = Query(structure)
        query.isDistinct = false
        // Without an order, rows come in that of the key.
        query.predicate = last.flatMap(behind)
        return query
    }

    /// Whether a row's key is after that of another: the first column that differs is greater.
    private func behind(_ last: [ColumnValue]) -> Predicate? {
        let key = structure.primaryKey
        guard let first = key.first else { return nil }
        if key.count == 1 { return .compare(ColumnReference(column: first), .greater, last[first]) }
        let cases = key.indices.map { place in
            Predicate.and(
                key[..<place].map { .compare(ColumnReference(column: $0), .equal, last[$0]) }
                    + [.compare(ColumnReference(column: key[place]), .greater, last[key[place]])])
        }
        // A bound on the first column limits the rows that are read.
        return .and([.compare(ColumnReference(column: first), .greaterOrEqual, last[first]), .or(cases)])
    }
}

extension ContentDigest {
    /// The checksum of all rows of a table, in the columns of a structure.
    init(_ structure: TableStructure, _ session: any TableSession) throws {
        var digest = ContentDigest()
        try RowReader(structure: structure, session: session).forEach { digest.add($0) }
        self = digest
    }
}
