import Foundation
import Siltstone
import TableKit

/// The changes of one statement: rows, their index entries, and the checks of keys and references.
///
/// Rows and entries go to the transaction as they come; a statement that throws is taken back as a whole by its caller.
final class RowWriter {
    let transaction: Transaction
    let engine: SiltstoneEngine
    let catalogue: Catalogue
    /// Whether the transaction has the turn: nobody commits rows meanwhile.
    let hasTurn: Bool
    /// The key of the row at work.
    let rowKey = KeyEncoder()
    /// An index entry, or the key of a row that is referred to.
    let entry = KeyEncoder()
    /// An index entry of the row as it was.
    let oldEntry = KeyEncoder()
    /// What is looked at when the statement ends.
    var checks: [ReferenceCheck] = []
    /// What follows from changes so far.
    var pending: [PendingChange] = []
    /// Whether changes have followed from others: rows that the statement has found may be others by now.
    var hasFollowed = false
    /// Tables whose rows with the greatest numbers may be gone.
    var tablesToMark: Set<UInt64> = []

    init(_ transaction: Transaction, _ engine: SiltstoneEngine, _ catalogue: Catalogue, hasTurn: Bool) {
        self.hasTurn = hasTurn
        self.transaction = transaction
        self.engine = engine
        self.catalogue = catalogue
    }

    // MARK: Keys

    /// Makes ``rowKey`` from a row of the newest layout.
    /// - Returns: false where a column of the key is NULL.
    @inline(__always)
    func makeKey(_ plan: TableWritePlan, of row: RawSpan) throws -> Bool {
        rowKey.reset(to: plan.table.rowPrefix)
        for slot in plan.keySlots where try rowKey.append(slot, of: row) { return false }
        return true
    }

    /// Whether a row with ``rowKey`` exists.
    func rowExists() throws -> Bool { try rowKey.withBytes { try transaction.contains($0) } }

    /// Writes the row with ``rowKey``.
    func putRow(_ row: RawSpan) throws {
        try rowKey.withBytes { key in try row.withUnsafeBytes { try transaction.put(key, $0) } }
    }

    // MARK: New rows

    /// Stores a row that is new under ``rowKey``, with its entries.
    /// - Parameter row: of the newest layout.
    func storeNew(_ row: RawSpan, _ plan: TableWritePlan) throws {
        for index in plan.table.indexes { try addEntry(index, of: row, plan) }
        for reference in plan.outgoing { try check(reference, of: row, plan) }
        try putRow(row)
    }

    private func addEntry(_ index: TableDescription.Index, of row: RawSpan, _ plan: TableWritePlan) throws {
        entry.reset(to: index.prefix)
        var hasNull = false
        for column in index.columns where try entry.append(plan.layout.slots[column], of: row) { hasNull = true }
        try putEntry(index, hasNull: hasNull, plan)
    }

    /// Writes ``entry``, which ends with the values.
    func putEntry(_ index: TableDescription.Index, hasNull: Bool, _ plan: TableWritePlan) throws {
        let prefix = plan.table.rowPrefix.count
        if !index.isUnique || hasNull {
            rowKey.withBytes { entry.append(raw: UnsafeRawBufferPointer(rebasing: $0[prefix...])) }
            try entry.withBytes { try transaction.put($0, UnsafeRawBufferPointer(start: nil, count: 0)) }
            return
        }
        if try entry.withBytes({ try transaction.contains($0) }) {
            throw uniqueError(plan.table, index.columns, try entryValues(index))
        }
        try entry.withBytes { entry in
            try rowKey.withBytes {
                try transaction.put(entry, UnsafeRawBufferPointer(rebasing: $0[prefix...]))
            }
        }
    }

    private func entryValues(_ index: TableDescription.Index) throws -> [ColumnValue] {
        try entry.bytes.withUnsafeBytes { try KeyDecoder.values(in: $0.bytes, from: index.prefix.count) }
    }

    // MARK: Old rows

    /// Makes an entry of a row of any layout, without the row's key where the index is unique and no value is NULL.
    /// - Parameters:
    ///   - shape: where columns are in the row.
    ///   - key: the values of the row's key.
    static func makeEntry(
        _ entry: borrowing KeyEncoder, _ index: TableDescription.Index, of row: RawSpan, _ shape: [ShapeColumn],
        key: UnsafeRawBufferPointer
    ) throws -> Bool {
        entry.reset(to: index.prefix)
        var hasNull = false
        for column in index.columns where try entry.append(shape[column], of: row) { hasNull = true }
        if !index.isUnique || hasNull { entry.append(raw: key) }
        return index.isUnique && !hasNull
    }

    /// Removes the entries of a row with ``rowKey``.
    func removeEntries(_ plan: TableWritePlan, of row: RawSpan) throws {
        let shape = try plan.columns(of: row)
        let prefix = plan.table.rowPrefix.count
        for index in plan.table.indexes {
            let isKeyless = try rowKey.withBytes { key in
                try RowWriter.makeEntry(
                    oldEntry, index, of: row, shape, key: UnsafeRawBufferPointer(rebasing: key[prefix...]))
            }
            try rowKey.withBytes { key in
                try removeOldEntry(index, isKeyless, key: UnsafeRawBufferPointer(rebasing: key[prefix...]))
            }
        }
    }

    /// Removes ``oldEntry``.
    /// - Parameter key: the values of the row's key.
    func removeOldEntry(_ index: TableDescription.Index, _ isKeyless: Bool, key: UnsafeRawBufferPointer) throws {
        // Of an index that is being built it may be another row's: the duplicate that will end the build.
        if isKeyless, !index.isReady {
            let owner = try oldEntry.withBytes { try transaction.get($0) }
            guard let owner, owner.elementsEqual(key) else { return }
        }
        try oldEntry.withBytes { try transaction.delete($0) }
    }

    // MARK: Errors

    /// The error of a key or of unique values that exist.
    func uniqueError(_ table: TableDescription, _ columns: [Int], _ values: [ColumnValue]) -> CRUDSQLExeError {
        let names = columns.map { table.columns[$0].column.name }.joined(separator: ", ")
        let isKey = columns == table.primaryKey
        return CRUDSQLExeError(
            isKey ? "A row with the same key exists." : "A row with the same values of a unique index exists.",
            code: .unique, table: table.name, column: names.isEmpty ? nil : names,
            key: values.map(\.readable).joined(separator: ", "))
    }

    /// The values in ``rowKey``.
    func keyValues(_ table: TableDescription) throws -> [ColumnValue] {
        try rowKey.bytes.withUnsafeBytes { try KeyDecoder.values(in: $0.bytes, from: table.rowPrefix.count) }
    }
}

extension KeyEncoder {
    /// Appends the value of a column of a row.
    /// - Returns: whether it is NULL.
    @inline(__always)
    func append(_ column: ShapeColumn, of row: RawSpan) throws(CRUDDecoderError) -> Bool {
        switch column {
        case .slot(let slot): return try append(slot, of: row)
        case .absent(let value):
            append(value)
            return value.isNull
        case .missing:
            append(.null)
            return true
        }
    }
}

extension ColumnValue {
    /// The value as a person reads it, in errors.
    var readable: String {
        switch self {
        case .null: "NULL"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): "\(value)"
        case .date(let value): ColumnDate.format(value)
        case .uuid(let value): value.uuidString
        case .text(let value), .json(let value): "\"\(value)\""
        case .bytes(let value): "\(value.count) bytes"
        }
    }
}
