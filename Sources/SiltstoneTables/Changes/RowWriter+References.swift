import Siltstone
import TableKit

/// A foreign key check deferred to the end of the statement.
struct ReferenceCheck {
    let parent: TableDescription
    let child: TableDescription
    let column: Int
    /// The key that the column refers to, as a value of the type of the parent's key.
    let key: ColumnValue
}

/// A row change caused by a foreign key action.
struct PendingChange {
    let plan: TableWritePlan
    /// The number of the row in ``RowWriter/pendingRows``.
    let row: Int
    /// The column to set. Nil: the row is deleted.
    let column: Int?
    let value: ColumnValue
    let depth: Int
}

extension RowWriter {
    /// The maximum length of a chain of foreign key actions.
    private static let mostDepth = 1_000

    // MARK: From a child

    /// Checks that the row referred to by a new or changed row exists. Else defers the check to the statement's end.
    func check(_ reference: TableWritePlan.OutgoingReference, of row: RawSpan, _ plan: TableWritePlan) throws {
        if try reference.slot.isNull(in: row) { return }
        guard let parent = reference.parent, let type = reference.keyType else {
            let reason =
                reference.parent == nil
                ? "there is no table \(reference.table)" : "\(reference.table) has no key of one column"
            throw CRUDSQLExeError(
                "The column refers to another table, but \(reason).", code: .foreignKey, table: plan.table.name,
                column: plan.table.columns[reference.column].column.name)
        }
        if reference.hasSameEncoding {
            entry.reset(to: parent.rowPrefix)
            try entry.append(reference.slot, of: row)
            if try unsafe entry.withBytes({ try unsafe transaction.contains($0) }) { return }
        }
        let value = try reference.slot.value(in: row)
        guard let key = value.fitting(type) else {
            throw missing(ReferenceCheck(parent: parent, child: plan.table, column: reference.column, key: value))
        }
        let check = ReferenceCheck(parent: parent, child: plan.table, column: reference.column, key: key)
        if try reference.hasSameEncoding || !exists(check) { checks.append(check) }
    }

    /// True if the row that a column refers to exists.
    private func exists(_ check: ReferenceCheck) throws -> Bool {
        entry.reset(to: check.parent.rowPrefix)
        entry.append(check.key)
        return try unsafe entry.withBytes { try unsafe transaction.contains($0) }
    }

    private func missing(_ check: ReferenceCheck) -> CRUDSQLExeError {
        CRUDSQLExeError(
            "The column refers to a row of \(check.parent.name) that does not exist.", code: .foreignKey,
            table: check.child.name, column: check.child.columns[check.column].column.name, key: check.key.readable)
    }

    /// Runs the deferred foreign key checks.
    func finishChecks() throws {
        for check in checks {
            if try exists(check) { continue }
            let children = try children(of: check.key, of: check.parent, in: check.child, check.column, limit: 1)
            if !children.isEmpty { throw missing(check) }
        }
        checks.removeAll()
    }

    // MARK: From a parent

    /// Applies the foreign key actions of a deleted or changed key.
    /// - Parameter new: the new key. Nil: the row is deleted.
    func follow(_ plan: TableWritePlan, from old: ColumnValue, to new: ColumnValue?, depth: Int) throws {
        for reference in plan.incoming {
            let action = new == nil ? reference.onDelete : reference.onUpdate
            if action == .ignore {
                checks.append(
                    ReferenceCheck(parent: plan.table, child: reference.table, column: reference.column, key: old))
                continue
            }
            let keys = try children(
                of: old, of: plan.table, in: reference.table, reference.column, limit: action == .restrict ? 1 : nil)
            if keys.isEmpty { continue }
            let column = reference.table.columns[reference.column].column
            guard action != .restrict else {
                throw CRUDSQLExeError(
                    "Rows of \(reference.table.name) refer to the row.", code: .foreignKey, table: plan.table.name,
                    column: column.name, key: old.readable)
            }
            guard depth < RowWriter.mostDepth else {
                throw CRUDSQLExeError(
                    "References lead on over more than \(RowWriter.mostDepth) rows.", code: .foreignKey,
                    table: plan.table.name, column: column.name, key: old.readable)
            }
            let child = catalogue.writePlan(reference.table)
            let isRemoval = action == .cascade && new == nil
            let value: ColumnValue =
                switch action {
                case .cascade: try new.map { try self.reference(to: $0, of: plan.table, reference) } ?? .null
                case .setDefault: column.defaultValue ?? .null
                default: .null
                }
            if action == .setDefault, let type = plan.table.keyType, let key = value.fitting(type), !key.isNull {
                // The default may be the deleted key itself. The row then stays the same, and only this checks it.
                checks.append(
                    ReferenceCheck(parent: plan.table, child: reference.table, column: reference.column, key: key))
            }
            for key in keys {
                pending.append(
                    PendingChange(
                        plan: child, row: pendingRows.number(of: key), column: isRemoval ? nil : reference.column,
                        value: value, depth: depth + 1))
            }
        }
    }

    /// The value by which a column refers to a changed key.
    /// - Throws: `TableErrorCode.type` if the column has no value for the key, as none of its type converts to it.
    private func reference(
        to key: ColumnValue, of parent: TableDescription, _ reference: TableWritePlan.IncomingReference
    ) throws -> ColumnValue {
        let column = reference.table.columns[reference.column].column
        if let type = parent.keyType, let value = key.fitting(column.type), let referred = value.fitting(type),
            ColumnValue.areSame(referred, key)
        {
            return value
        }
        throw CRUDSQLExeError(
            "The new key is no value of the column that refers to it, which has type \(column.type).", code: .type,
            table: reference.table.name, column: column.name, key: key.readable)
    }

    /// Applies all pending changes. A list instead of recursion: a chain of foreign keys needs no stack.
    func finishPending() throws {
        while let change = pending.popLast() {
            hasFollowed = true
            // Another change may have deleted the row.
            guard let key = pendingRows.key(of: change.row), let old = try transaction.get(key) else { continue }
            guard let column = change.column else {
                try unsafe remove(change.plan, key: key.span.bytes, old.span.bytes, depth: change.depth)
                continue
            }
            let shape = try unsafe change.plan.columns(of: old.span.bytes)
            var sources = try RowWriter.unchanged(change.plan, shape)
            sources[column] = try .value(change.value, for: change.plan.layout.slots[column].type)
            var composer = RowComposer(change.plan.layout)
            try unsafe composer.compose(sources, old: old.span.bytes, new: RawSpan())
            try unsafe self.change(
                change.plan, key: key, from: old.span.bytes, to: composer.bytes.span.bytes, depth: change.depth)
        }
        pendingRows.removeAll()
    }

    /// Sources that copy the columns of an old row.
    static func unchanged(_ plan: TableWritePlan, _ shape: [ShapeColumn]) throws -> [RowComposer.Source] {
        try zip(shape, plan.layout.slots).map { column, slot in
            switch column {
            case .slot(let old): .slot(old, isOld: true, for: slot.type)
            case .absent(let value): try .value(value, for: slot.type)
            case .missing: .null
            }
        }
    }

    /// Returns the full keys of the rows that refer to a key by a column.
    /// - Complexity: O(rows found) by an index of the column, else O(rows).
    private func children(
        of key: ColumnValue, of parent: TableDescription, in table: TableDescription, _ column: Int, limit: Int?
    ) throws -> [[UInt8]] {
        guard let keyType = parent.keyType else { return [] }
        let type = table.columns[column].column.type
        guard type.canRefer(to: keyType) else {
            return try scanChildren(of: key, keyType, in: table, column, limit: limit)
        }
        guard let value = key.fitting(type), !value.isNull else { return [] }
        var keys: [[UInt8]] = []
        if table.primaryKey == [column] {
            let key = KeyEncoder(table.rowPrefix)
            key.append(value)
            return try transaction.contains(key.bytes) ? [key.bytes] : []
        }
        guard let index = table.indexes.first(where: { $0.isReady && $0.columns.first == column }) else {
            return try scanChildren(of: key, keyType, in: table, column, limit: limit)
        }
        let prefix = KeyEncoder(index.prefix)
        prefix.append(value)
        // Entries of a longer text can begin with the same bytes: the text continues with a zero, encoded as 00 FF.
        try transaction.forEach(from: prefix.bytes, to: prefix.bytes + [0xFF], limit: limit) { key, pointer in
            var row = table.rowPrefix
            if pointer.byteCount > 0 {
                unsafe pointer.withUnsafeBytes { unsafe row += $0 }
            } else {
                let end = try KeyDecoder.end(ofValues: index.columns.count, at: index.prefix.count, in: key)
                unsafe key.extracting(end..<key.byteCount).withUnsafeBytes { unsafe row += $0 }
            }
            keys.append(row)
            return true
        }
        return keys
    }

    /// As ``children(of:of:in:_:limit:)``, without an index.
    ///
    /// Converts the column as ``check(_:of:_:)`` does. Stores may have references between types that
    /// ``SchemaEditor`` now refuses, of a text and a UUID, for example. Several values may then stand for one key, and
    /// the key may not convert to any of them.
    private func scanChildren(
        of key: ColumnValue, _ keyType: ColumnType, in table: TableDescription, _ column: Int, limit: Int?
    ) throws -> [[UInt8]] {
        let plan = catalogue.writePlan(table)
        var keys: [[UInt8]] = []
        try transaction.forEach(prefix: table.rowPrefix) { rowKey, row in
            let found = try self.value(try plan.columns(of: row)[column], of: row).fitting(keyType)
            if let found, ColumnValue.areSame(found, key) {
                unsafe keys.append(rowKey.withUnsafeBytes { unsafe Array($0) })
            }
            return limit.map { keys.count < $0 } ?? true
        }
        return keys
    }
}
