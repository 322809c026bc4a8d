import Siltstone
import TableKit

/// The numbers of rows in tables without a key. No number is reused, not even after a rollback or a delete.
final class RowNumbers: Sendable {
    private let last = Locked<[UInt64: Int64]>([:])

    /// Reserves numbers for new rows.
    /// - Returns: the first number.
    /// - Throws: `TableErrorCode.argument` if the numbers are exhausted.
    func reserve(_ count: Int, in table: TableDescription, of store: KeyValueStore) throws -> Int64 {
        try last.withLock { last in
            let newest = try last[table.id] ?? RowNumbers.load(table, from: store)
            guard newest <= Int64.max - Int64(count) else {
                throw CRUDSQLExeError("The table has no more row numbers.", code: .argument, table: table.name)
            }
            last[table.id] = newest + Int64(count)
            return newest + 1
        }
    }

    /// Records a number that a row came with.
    func raise(to number: Int64, in table: TableDescription, of store: KeyValueStore) throws {
        try last.withLock { last in
            let newest = try last[table.id] ?? RowNumbers.load(table, from: store)
            last[table.id] = max(newest, number)
        }
    }

    /// The greatest number reserved or recorded so far.
    func newest(in table: TableDescription, of store: KeyValueStore) throws -> Int64 {
        try last.withLock { last in
            let newest = try last[table.id] ?? RowNumbers.load(table, from: store)
            last[table.id] = newest
            return newest
        }
    }

    /// The greatest number in the table, or in its mark if its rows were deleted.
    private static func load(_ table: TableDescription, from store: KeyValueStore) throws -> Int64 {
        var newest: Int64 = 0
        if let mark = try store.get(KeySpace.rowNumber(table.id)) {
            var input = CatalogueReader(mark)
            newest = Int64(bitPattern: try input.word())
        }
        try store.forEachKey(prefix: table.rowPrefix, reverse: true) { key in
            var offset = table.rowPrefix.count
            switch try KeyDecoder.value(in: key, at: &offset) {
            case .integer(let number):
                newest = max(newest, number)
                return false
            // Keys above `Int64.max` are no row numbers. The scan goes on to the keys before them.
            case .unsigned: return true
            default: return false
            }
        }
        return newest
    }
}
