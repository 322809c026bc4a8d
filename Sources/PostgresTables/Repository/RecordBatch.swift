#if PostgreSQL
import Foundation
import TableSQL

/// Changes of several records in one transaction, some thousand a statement.
enum RecordBatch {
    private static let maximumRecords = 1000
    /// The server takes 1 GB a value, and should not have to hold it.
    private static let maximumBytes = 8 << 20

    /// - Returns: an identifier that is in use; then nothing has changed.
    static func insert(
        _ records: [(id: String, record: Data)], _ connection: PostgresConnection, _ table: RecordTable
    ) throws -> String? {
        try inTransaction(connection, records[...], bytes: { $0.id.utf8.count + $0.record.count }) { part in
            let stored = Set(try connection.execute(table.insert(part)).rows.map { $0[0].bytes })
            return stored.count == part.count ? nil : part.first { !stored.contains(Array($0.id.utf8)) }?.id
        }
    }

    /// - Returns: an identifier that is not in use; then nothing has changed.
    static func remove(
        _ ids: [String], _ connection: PostgresConnection, _ table: RecordTable
    ) throws -> String? {
        try inTransaction(connection, ids[...], bytes: { $0.utf8.count }) { part in
            let removed = Set(try connection.execute(table.delete(part)).rows.map { $0[0].bytes })
            return removed.count == part.count ? nil : part.first { !removed.contains(Array($0.utf8)) }
        }
    }

    /// Runs `body` on one part after the other, and takes all back where it returns an identifier.
    private static func inTransaction<E>(
        _ connection: PostgresConnection, _ all: ArraySlice<E>, bytes: (E) -> Int,
        _ body: (ArraySlice<E>) throws -> String?
    ) throws -> String? {
        guard !all.isEmpty else { return nil }
        _ = try connection.execute(SQLStatement("BEGIN"))
        do {
            var rest = all
            while !rest.isEmpty {
                let part = part(rest, bytes)
                rest = rest[part.endIndex...]
                if let id = try body(part) {
                    _ = try connection.execute(SQLStatement("ROLLBACK"))
                    return id
                }
            }
        } catch {
            // The first error counts; a connection whose transaction cannot be ended is not used again.
            if connection.isUsable {
                do { _ = try connection.execute(SQLStatement("ROLLBACK")) } catch { connection.close() }
            }
            throw error
        }
        _ = try connection.execute(SQLStatement("COMMIT"))
        return nil
    }

    private static func part<E>(_ rest: ArraySlice<E>, _ bytes: (E) -> Int) -> ArraySlice<E> {
        var sum = 0
        var end = rest.startIndex
        while end < rest.endIndex, end - rest.startIndex < maximumRecords, sum < maximumBytes {
            sum += bytes(rest[end])
            end += 1
        }
        return rest[..<end]
    }
}
#endif
