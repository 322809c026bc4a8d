import Siltstone
import TableKit

/// Applies one statement: rows, index entries, and the checks of keys and foreign keys.
///
/// Writes go to the transaction at once. If the statement throws, the caller rolls it back.
final class RowWriter {
    let transaction: Transaction
    let engine: SiltstoneEngine
    let catalogue: Catalogue
    /// True if the transaction holds the transaction lock, so that no one else commits rows.
    let hasTurn: Bool
    /// The key of the current row.
    let rowKey = KeyEncoder()
    /// An index entry, or the key of a referenced row.
    let entry = KeyEncoder()
    /// An index entry of the old row.
    let oldEntry = KeyEncoder()
    /// Checks deferred to the end of the statement.
    var checks: [ReferenceCheck] = []
    /// Changes caused by foreign key actions, to be applied.
    var pending: [PendingChange] = []
    /// The rows of ``pending``, and those of the changes before them.
    var pendingRows = PendingRows()
    /// True after a foreign key action: rows that the statement found earlier may have changed.
    var hasFollowed = false
    /// Tables whose rows with the greatest number may have been deleted.
    var tablesToMark: Set<UInt64> = []
    /// The number of rows that the statement adds to each table; negative: removes.
    var rowChanges: [UInt64: Int] = [:]
    /// The rows that an insert has added to its table so far.
    var inserted = 0

    init(_ transaction: Transaction, _ engine: SiltstoneEngine, _ catalogue: Catalogue, hasTurn: Bool) {
        self.hasTurn = hasTurn
        self.transaction = transaction
        self.engine = engine
        self.catalogue = catalogue
    }

    // MARK: Keys

    /// Encodes ``rowKey`` from a row in the newest layout.
    /// - Returns: false if a column of the key is NULL.
    @inline(__always)
    func makeKey(_ plan: TableWritePlan, of row: RawSpan) throws -> Bool {
        rowKey.reset(to: plan.table.rowPrefix)
        for slot in plan.keySlots where try rowKey.append(slot, of: row) { return false }
        return true
    }

    /// True if a row with ``rowKey`` exists.
    func rowExists() throws -> Bool { try unsafe rowKey.withBytes { try unsafe transaction.contains($0) } }

    /// Writes the row with ``rowKey``.
    func putRow(_ row: RawSpan) throws {
        try unsafe rowKey.withBytes { key in try unsafe row.withUnsafeBytes { try unsafe transaction.put(key, $0) } }
    }

    // MARK: New rows

    /// Stores a new row under ``rowKey``, with its index entries.
    /// - Parameter row: the row, in the newest layout.
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

    /// Writes ``entry``, which ends with the index's values.
    func putEntry(_ index: TableDescription.Index, hasNull: Bool, _ plan: TableWritePlan) throws {
        let prefix = plan.table.rowPrefix.count
        if !index.isUnique || hasNull {
            unsafe rowKey.withBytes { unsafe entry.append(raw: UnsafeRawBufferPointer(rebasing: $0[prefix...])) }
            try unsafe entry.withBytes { try unsafe transaction.put($0, UnsafeRawBufferPointer(start: nil, count: 0)) }
            return
        }
        if try unsafe entry.withBytes({ try unsafe transaction.contains($0) }) {
            throw uniqueError(plan.table, index.columns, try entryValues(index))
        }
        try unsafe entry.withBytes { entry in
            try unsafe rowKey.withBytes {
                try unsafe transaction.put(entry, UnsafeRawBufferPointer(rebasing: $0[prefix...]))
            }
        }
    }

    private func entryValues(_ index: TableDescription.Index) throws -> [ColumnValue] {
        try unsafe entry.bytes.withUnsafeBytes { try unsafe KeyDecoder.values(in: $0.bytes, from: index.prefix.count) }
    }

    // MARK: Old rows

    /// Encodes the index entry of a row in any layout.
    /// - Parameters:
    ///   - shape: the positions of columns in the row.
    ///   - key: the encoded values of the row's key.
    /// - Returns: true if the entry omits the row's key, because the index is unique and no value is NULL.
    static func makeEntry(
        _ entry: borrowing KeyEncoder, _ index: TableDescription.Index, of row: RawSpan, _ shape: [ShapeColumn],
        key: UnsafeRawBufferPointer
    ) throws -> Bool {
        entry.reset(to: index.prefix)
        var hasNull = false
        for column in index.columns where try entry.append(shape[column], of: row) { hasNull = true }
        if !index.isUnique || hasNull { unsafe entry.append(raw: key) }
        return index.isUnique && !hasNull
    }

    /// Deletes the index entries of a row with ``rowKey``.
    func removeEntries(_ plan: TableWritePlan, of row: RawSpan) throws {
        let shape = try plan.columns(of: row)
        let prefix = plan.table.rowPrefix.count
        for index in plan.table.indexes {
            let isKeyless = try unsafe rowKey.withBytes { key in
                try unsafe RowWriter.makeEntry(
                    oldEntry, index, of: row, shape, key: UnsafeRawBufferPointer(rebasing: key[prefix...]))
            }
            try unsafe rowKey.withBytes { key in
                try unsafe removeOldEntry(index, isKeyless, key: UnsafeRawBufferPointer(rebasing: key[prefix...]))
            }
        }
    }

    /// Deletes ``oldEntry``.
    /// - Parameter key: the encoded values of the row's key.
    func removeOldEntry(_ index: TableDescription.Index, _ isKeyless: Bool, key: UnsafeRawBufferPointer) throws {
        // In an index in construction, the entry may belong to another row: the duplicate that will end the build.
        if isKeyless, !index.isReady {
            let owner = try unsafe oldEntry.withBytes { try unsafe transaction.get($0) }
            guard let owner, unsafe owner.elementsEqual(key) else { return }
        }
        try unsafe oldEntry.withBytes { try unsafe transaction.delete($0) }
    }

    // MARK: Errors

    /// The error for an existing key or existing unique values.
    func uniqueError(_ table: TableDescription, _ columns: [Int], _ values: [ColumnValue]) -> CRUDSQLExeError {
        let names = columns.map { table.columns[$0].column.name }.joined(separator: ", ")
        let isKey = columns == table.primaryKey
        return CRUDSQLExeError(
            isKey ? "A row with the same key exists." : "A row with the same values of a unique index exists.",
            code: .unique, table: table.name, column: names.isEmpty ? nil : names,
            key: values.map(\.readable).joined(separator: ", "))
    }

    /// Decodes the values in ``rowKey``.
    func keyValues(_ table: TableDescription) throws -> [ColumnValue] {
        try unsafe rowKey.bytes.withUnsafeBytes {
            try unsafe KeyDecoder.values(in: $0.bytes, from: table.rowPrefix.count)
        }
    }
}

extension KeyEncoder {
    /// Appends the value of a row's column.
    /// - Returns: true if it is NULL.
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
