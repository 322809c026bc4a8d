import Siltstone
import TableKit

/// The numbers that rows without a key of their own get: each once, also across rollbacks and deletes.
final class RowNumbers: Sendable {
    private let last = Locked<[UInt64: Int64]>([:])

    /// Numbers for new rows.
    /// - Returns: the first of them.
    /// - Throws: `TableErrorCode.argument` where there are no more.
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

    /// Takes note of a number that a row has brought along.
    func raise(to number: Int64, in table: TableDescription, of store: KeyValueStore) throws {
        try last.withLock { last in
            let newest = try last[table.id] ?? RowNumbers.load(table, from: store)
            last[table.id] = max(newest, number)
        }
    }

    /// The greatest number that was given so far.
    func newest(in table: TableDescription, of store: KeyValueStore) throws -> Int64 {
        try last.withLock { last in
            let newest = try last[table.id] ?? RowNumbers.load(table, from: store)
            last[table.id] = newest
            return newest
        }
    }

    /// A new table has the number of one whose creation was rolled back.
    func forget(_ table: UInt64) { last.withLock { $0[table] = nil } }

    /// The greatest number of a row that is there, or of one that is gone and has left its mark.
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
            // Above all numbers that are given. The ones before it count.
            case .unsigned: return true
            default: return false
            }
        }
        return newest
    }
}
