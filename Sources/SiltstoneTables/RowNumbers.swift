import Siltstone
import TableKit

/// The numbers of rows in tables without a key, and of integer keys. No number is reused, not even after a rollback or a
/// delete.
///
/// The greatest number of a key's type ends the numbers of its table. So a row that comes with it counts only if it is
/// committed.
final class RowNumbers: Sendable {
    private struct Used: Sendable {
        /// The greatest number that was given to a row, or that a row came with, apart from the greatest of all.
        var last: Int64
        /// True if a row came with the greatest number of all. Its transaction may be open, or rolled back.
        var hasMetGreatest: Bool
    }

    private let tables = Locked<[UInt64: Used]>([:])

    /// Reserves a number for a new row.
    /// - Parameter transaction: the transaction that inserts the row.
    /// - Throws: `TableErrorCode.argument` if the numbers are exhausted.
    func reserve(in table: TableDescription, of store: KeyValueStore, for transaction: Transaction) throws -> Int64 {
        try tables.withLock { tables in
            var used = try tables[table.id] ?? RowNumbers.load(table, from: store)
            var isFull = used.last >= table.greatestRowNumber
            if used.hasMetGreatest, !isFull {
                let greatest = table.rowKey(table.greatestRowNumber)
                isFull = try store.contains(greatest) || transaction.contains(greatest)
            }
            if isFull {
                throw CRUDSQLExeError("The table has no more row numbers.", code: .argument, table: table.name)
            }
            used.last += 1
            tables[table.id] = used
            return used.last
        }
    }

    /// Records a number that a row came with.
    func raise(to number: Int64, in table: TableDescription, of store: KeyValueStore) throws {
        try tables.withLock { tables in
            var used = try tables[table.id] ?? RowNumbers.load(table, from: store)
            if number < table.greatestRowNumber {
                used.last = max(used.last, number)
            } else {
                used.hasMetGreatest = true
            }
            tables[table.id] = used
        }
    }

    /// True if ``mark(of:of:)`` reads the store.
    func readsForMark(of table: TableDescription) -> Bool { tables.withLock { $0[table.id]?.hasMetGreatest ?? true } }

    /// The number to store where rows are deleted: the next opening gives greater ones.
    func mark(of table: TableDescription, of store: KeyValueStore) throws -> Int64 {
        try tables.withLock { tables in
            var used = try tables[table.id] ?? RowNumbers.load(table, from: store)
            // The committed row is perhaps deleted now.
            if used.hasMetGreatest, try store.contains(table.rowKey(table.greatestRowNumber)) {
                used.last = table.greatestRowNumber
            }
            tables[table.id] = used
            return used.last
        }
    }

    /// A number that no row exceeds.
    func newest(in table: TableDescription, of store: KeyValueStore) throws -> Int64 {
        try tables.withLock { tables in
            let used = try tables[table.id] ?? RowNumbers.load(table, from: store)
            tables[table.id] = used
            return used.hasMetGreatest ? table.greatestRowNumber : used.last
        }
    }

    /// The greatest number in the table, or in its mark if its rows were deleted.
    private static func load(_ table: TableDescription, from store: KeyValueStore) throws -> Used {
        var used = Used(last: 0, hasMetGreatest: false)
        if let mark = try store.get(KeySpace.rowNumber(table.id)) {
            var input = CatalogueReader(mark)
            used.last = Int64(bitPattern: try input.word())
        }
        let greatest = table.greatestRowNumber
        try store.forEachKey(prefix: table.rowPrefix, reverse: true) { key in
            var offset = table.rowPrefix.count
            switch try KeyDecoder.value(in: key, at: &offset) {
            case .integer(let number) where number >= greatest:
                used.hasMetGreatest = true
                return true
            case .integer(let number):
                used.last = max(used.last, number)
                return false
            // Keys above `Int64.max` are no row numbers. The scan goes on to the keys before them.
            case .unsigned: return true
            default: return false
            }
        }
        return used
    }
}

extension TableDescription {
    /// The key of the row with a number.
    fileprivate func rowKey(_ number: Int64) -> [UInt8] {
        let key = KeyEncoder(rowPrefix)
        key.append(.integer(number))
        return key.bytes
    }
}
