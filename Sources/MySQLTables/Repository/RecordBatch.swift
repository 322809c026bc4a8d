#if MySQL
import Foundation
import TableKit
import TableSQL

/// Changes of several records in one transaction, some thousand a statement.
enum RecordBatch {
    /// - Returns: an identifier that is in use; then nothing has changed.
    static func insert(
        _ records: [(id: String, record: Data)], _ connection: MySQLConnection, _ table: RecordTable
    ) throws -> String? {
        try connection.inOneTransaction(records[...], bytes: { $0.id.utf8.count + $0.record.count }) { part in
            do { _ = try connection.execute(table.insert(part)) } catch let error as SQLConnectionError
                where error.code == .unique
            {
                let used = Set(try connection.execute(table.among(part.map(\.id)[...])).rows.map { $0[0].bytes })
                var seen: Set<[UInt8]> = []
                guard
                    let id = part.first(where: { item in
                        let bytes = Array(item.id.utf8)
                        return used.contains(bytes) || !seen.insert(bytes).inserted
                    })
                else { throw error }
                return id.id
            }
            return nil
        }
    }

    /// - Returns: an identifier that is not in use; then nothing has changed.
    static func remove(
        _ ids: [String], _ connection: MySQLConnection, _ table: RecordTable
    ) throws -> String? {
        try connection.inOneTransaction(ids[...], bytes: { $0.utf8.count }) { part in
            let removed = Set(try connection.execute(table.delete(part)).rows.map { $0[0].bytes })
            return removed.count == part.count ? nil : part.first { !removed.contains(Array($0.utf8)) }
        }
    }
}
#endif
