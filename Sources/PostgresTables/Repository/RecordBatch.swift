#if PostgreSQL
import Foundation
import TableSQL

/// Changes of several records in one transaction, some thousand a statement.
enum RecordBatch {
    /// - Returns: an identifier that is in use; then nothing has changed.
    static func insert(
        _ records: [(id: String, record: Data)], _ connection: PostgresConnection, _ table: RecordTable
    ) throws -> String? {
        try connection.inOneTransaction(records[...], bytes: { $0.id.utf8.count + $0.record.count }) { part in
            let stored = Set(try connection.execute(table.insert(part)).rows.map { $0[0].bytes })
            return stored.count == part.count ? nil : part.first { !stored.contains(Array($0.id.utf8)) }?.id
        }
    }

    /// - Returns: an identifier that is not in use; then nothing has changed.
    static func remove(
        _ ids: [String], _ connection: PostgresConnection, _ table: RecordTable
    ) throws -> String? {
        try connection.inOneTransaction(ids[...], bytes: { $0.utf8.count }) { part in
            let removed = Set(try connection.execute(table.delete(part)).rows.map { $0[0].bytes })
            return removed.count == part.count ? nil : part.first { !removed.contains(Array($0.utf8)) }
        }
    }
}
#endif
