#if MySQL
import TableKit
import TableSQL

/// One page of records in the order of identifiers. Keys are in that order but for long identifiers of one beginning, which
/// are read by themselves.
enum RecordPage {
    /// - Returns: the identifiers' bytes, and the items where they are asked for.
    static func read(
        after id: String?, limit: Int, withItems: Bool, _ connection: any SQLConnection, _ table: RecordTable
    ) throws -> [(id: [UInt8], item: [UInt8])] {
        var records: [(id: [UInt8], item: [UInt8])] = []
        func read(_ statement: SQLStatement) throws -> [[ColumnValue]] { try connection.execute(statement).rows }
        func append(_ rows: some Sequence<[ColumnValue]>) {
            for row in rows { records.append((row[1].isNull ? row[0].bytes : row[1].bytes, row.last?.bytes ?? [])) }
        }
        var key = id.map { Array($0.utf8) }
        if let whole = key, whole.count > RecordTable.keyBytes {
            let head = Array(whole.prefix(RecordTable.keyBytes))
            append(try read(table.page(of: head, behind: whole, limit: limit, withItems: withItems)))
            key = RecordTable.end(of: head)
        }
        while records.count < limit {
            let left = limit - records.count
            let rows = try read(table.page(behind: key, limit: left, withItems: withItems))
            guard let long = rows.firstIndex(where: { !$0[1].isNull }) else {
                append(rows)
                break
            }
            append(rows[..<long])
            let head = Array(rows[long][0].bytes.prefix(RecordTable.keyBytes))
            append(try read(table.page(of: head, behind: nil, limit: left - long, withItems: withItems)))
            key = RecordTable.end(of: head)
        }
        return records
    }
}
#endif
