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

        /// Takes the next number; nil if there is none.
        /// - Parameter isChecked: true if no row has the greatest number. Otherwise nil where one may have it.
        mutating func next(below greatest: Int64, isChecked: Bool) -> Int64? {
            guard isChecked || !hasMetGreatest, last < greatest else { return nil }
            last += 1
            return last
        }
    }

    /// Never held while the store is read: a commit on the cooperative pool takes it, too.
    private let tables = Locked<[UInt64: Used]>([:])

    /// Reserves a number for a new row.
    /// - Parameter transaction: the transaction that inserts the row.
    /// - Throws: `TableErrorCode.argument` if the numbers are exhausted.
    func reserve(in table: TableDescription, of store: KeyValueStore, for transaction: Transaction) throws -> Int64 {
        // The usual case locks once.
        if let number = tables.withLock({ $0[table.id]?.next(below: table.greatestRowNumber, isChecked: false) }) {
            return number
        }
        let used = try used(in: table, of: store)
        var isFull = false
        if used.hasMetGreatest {
            let greatest = table.rowKey(table.greatestRowNumber)
            isFull = try store.contains(greatest) || transaction.contains(greatest)
        }
        if !isFull, let number = change(used, in: table, { $0.next(below: table.greatestRowNumber, isChecked: true) }) {
            return number
        }
        throw CRUDSQLExeError("The table has no more row numbers.", code: .argument, table: table.name)
    }

    /// Records a number that a row came with.
    func raise(to number: Int64, in table: TableDescription, of store: KeyValueStore) throws {
        change(try used(in: table, of: store), in: table) { used in
            if number < table.greatestRowNumber {
                used.last = max(used.last, number)
            } else {
                used.hasMetGreatest = true
            }
        }
    }

    /// True if ``mark(of:of:)`` reads the store.
    func readsForMark(of table: TableDescription) -> Bool { tables.withLock { $0[table.id]?.hasMetGreatest ?? true } }

    /// The number to store where rows are deleted: the next opening gives greater ones.
    func mark(of table: TableDescription, of store: KeyValueStore) throws -> Int64 {
        let used = try used(in: table, of: store)
        // The committed row is perhaps deleted now.
        let hasGreatest = try used.hasMetGreatest && store.contains(table.rowKey(table.greatestRowNumber))
        return change(used, in: table) { used in
            if hasGreatest { used.last = table.greatestRowNumber }
            return used.last
        }
    }

    /// A number that no row exceeds.
    func newest(in table: TableDescription, of store: KeyValueStore) throws -> Int64 {
        let used = try used(in: table, of: store)
        return used.hasMetGreatest ? table.greatestRowNumber : used.last
    }

    /// The numbers of a table. Reads the store the first time.
    private func used(in table: TableDescription, of store: KeyValueStore) throws -> Used {
        if let known = tables.withLock({ $0[table.id] }) { return known }
        let loaded = try RowNumbers.load(table, from: store)
        // Another thread may have loaded them meanwhile, and given numbers.
        return change(loaded, in: table) { $0 }
    }

    /// Changes the numbers of a table.
    /// - Parameter loaded: those to begin with if there are none yet.
    private func change<R>(_ loaded: Used, in table: TableDescription, _ body: (inout Used) -> R) -> R {
        tables.withLock { body(&$0[table.id, default: loaded]) }
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
