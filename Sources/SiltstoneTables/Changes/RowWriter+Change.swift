import Siltstone
import TableKit

extension RowWriter {
    /// Replaces a row and its index entries, and applies the foreign keys that refer to its key.
    /// - Parameters:
    ///   - key: the full key of the old row.
    ///   - row: the new row, in the newest layout.
    ///   - depth: the number of foreign keys followed to this row.
    ///   - changed: the positions of the columns that may differ; nil: any.
    func change(
        _ plan: TableWritePlan, key: [UInt8], from old: RawSpan, to row: RawSpan, depth: Int, changed: [Int]? = nil
    ) throws {
        try plan.checkNotNull(row)
        if plan.keySlots.isEmpty {
            rowKey.reset(to: key)
        } else if try !makeKey(plan, of: row) {
            throw CRUDSQLExeError("A column of the key cannot be NULL.", code: .notNull, table: plan.table.name)
        }
        let isSameKey = unsafe rowKey.withBytes { new in unsafe key.withUnsafeBytes { unsafe new.elementsEqual($0) } }
        if !isSameKey { try moveKey(plan, from: key, old) }
        try changeEntries(plan, key: key, from: old, to: row, changed: isSameKey ? changed : nil)
        let shape = try plan.columns(of: old)
        for reference in plan.outgoing where try isChanged(reference, shape, old, row) {
            try check(reference, of: row, plan)
        }
        try putRow(row)
        if !isSameKey, !plan.incoming.isEmpty, let slot = plan.keySlots.first, plan.keySlots.count == 1 {
            let oldValue = try value(shape[plan.table.primaryKey[0]], of: old)
            try follow(plan, from: oldValue, to: try slot.value(in: row), depth: depth)
        }
    }

    /// Deletes the old key of a row whose new key is ``rowKey``.
    private func moveKey(_ plan: TableWritePlan, from key: [UInt8], _ old: RawSpan) throws {
        if try rowExists() { throw uniqueError(plan.table, plan.table.primaryKey, try keyValues(plan.table)) }
        try transaction.delete(key)
        if !pendingRows.isEmpty { pendingRows.move(from: key, to: rowKey.bytes) }
        noteRemovedKey(plan.table)
        if plan.table.hasIntegerKey, case .integer(let number) = try keyValues(plan.table).first {
            try engine.rowNumbers.raise(to: number, in: plan.table, of: engine.store)
        }
    }

    /// Replaces the index entries that differ.
    /// - Parameter changed: the positions of the columns that may differ if the key stays; nil: any.
    private func changeEntries(
        _ plan: TableWritePlan, key: [UInt8], from old: RawSpan, to row: RawSpan, changed: [Int]?
    ) throws {
        let shape = try plan.columns(of: old)
        let prefix = plan.table.rowPrefix.count
        for index in plan.table.indexes {
            // An index in construction may still lack the entry.
            if let changed, index.isReady, !index.columns.contains(where: changed.contains) { continue }
            let isKeyless = try unsafe key.withUnsafeBytes { key in
                try unsafe RowWriter.makeEntry(
                    oldEntry, index, of: old, shape, key: UnsafeRawBufferPointer(rebasing: key[prefix...]))
            }
            entry.reset(to: index.prefix)
            var hasNull = false
            for column in index.columns where try entry.append(plan.layout.slots[column], of: row) { hasNull = true }
            let valuesEnd = entry.count
            if !index.isUnique || hasNull {
                unsafe rowKey.withBytes { unsafe entry.append(raw: UnsafeRawBufferPointer(rebasing: $0[prefix...])) }
            }
            let isSame = unsafe entry.withBytes { new in unsafe oldEntry.withBytes { unsafe new.elementsEqual($0) } }
            // An entry of a unique index has the row's key as its value.
            if isSame,
                unsafe !isKeyless
                    || rowKey.withBytes({ new in unsafe key.withUnsafeBytes { unsafe new.elementsEqual($0) } })
            {
                // An index in construction may still lack the entry. Or another row may own it: the duplicate that will
                // end the build, which this change did not make.
                let isKnown =
                    try unsafe index.isReady || isKeyless && oldEntry.withBytes { try unsafe transaction.contains($0) }
                if isKnown { continue }
            }
            try unsafe key.withUnsafeBytes { key in
                try unsafe removeOldEntry(index, isKeyless, key: UnsafeRawBufferPointer(rebasing: key[prefix...]))
            }
            entry.truncate(to: valuesEnd)
            try putEntry(index, hasNull: hasNull, plan)
        }
    }

    private func isChanged(
        _ reference: TableWritePlan.OutgoingReference, _ shape: [ShapeColumn], _ old: RawSpan, _ row: RawSpan
    ) throws -> Bool {
        ColumnValue.order(try value(shape[reference.column], of: old), try reference.slot.value(in: row)) != 0
    }

    /// The value of a row's column.
    func value(_ column: ShapeColumn, of row: RawSpan) throws -> ColumnValue {
        switch column {
        case .slot(let slot): try slot.value(in: row)
        case .absent(let value): value
        case .missing: .null
        }
    }

    /// Deletes a row and its index entries, and applies the foreign keys that refer to it.
    /// - Parameter key: the full key of the row.
    func remove(_ plan: TableWritePlan, key: RawSpan, _ row: RawSpan, depth: Int) throws {
        rowKey.reset()
        unsafe key.withUnsafeBytes { unsafe rowKey.append(raw: $0) }
        try removeEntries(plan, of: row)
        try unsafe rowKey.withBytes { try unsafe transaction.delete($0) }
        if !pendingRows.isEmpty { pendingRows.move(from: rowKey.bytes, to: nil) }
        rowChanges[plan.table.id, default: 0] -= 1
        noteRemovedKey(plan.table)
        if !plan.incoming.isEmpty, plan.table.primaryKey.count == 1 {
            let shape = try plan.columns(of: row)
            try follow(plan, from: try value(shape[plan.table.primaryKey[0]], of: row), to: nil, depth: depth)
        }
    }

    /// Records that a row with a number may be gone, so that the number is not reused.
    private func noteRemovedKey(_ table: TableDescription) {
        if table.hasRowNumbers || table.hasIntegerKey { tablesToMark.insert(table.id) }
    }
}
