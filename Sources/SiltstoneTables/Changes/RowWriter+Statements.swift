import Siltstone
import TableKit

extension RowWriter {
    /// The rows that a statement has found, collected before the first change, so that it meets no row twice.
    private struct Matches {
        var keys = RowBuffer()
        var rows = RowBuffer()
    }

    /// - Parameter isReturning: true if the rows are returned: then they come by key, and not as some index orders them.
    private func matches(
        _ binding: TableBinding, _ predicate: Predicate?, isReturning: Bool
    ) throws -> Matches {
        var matches = Matches()
        let executor = QueryExecutor(reader: transaction, catalogue: catalogue)
        try executor.forEachMatch(binding, predicate) { key, row in
            matches.keys.append(key)
            matches.rows.append(row)
        }
        return isReturning ? byKey(matches) : matches
    }

    private func byKey(_ matches: Matches) -> Matches {
        let keys = (0..<matches.keys.count).map { Array(matches.keys.bytes[matches.keys[range: $0]]) }
        if zip(keys, keys.dropFirst()).allSatisfy({ $0.lexicographicallyPrecedes($1) }) { return matches }
        var sorted = Matches()
        for number in keys.indices.sorted(by: { keys[$0].lexicographicallyPrecedes(keys[$1]) }) {
            matches.keys.withRow(number) { sorted.keys.append($0) }
            matches.rows.withRow(number) { sorted.rows.append($0) }
        }
        return sorted
    }

    /// Passes the current version of a matching row. Does nothing if the row is gone.
    private func withCurrentRow(_ matches: Matches, _ number: Int, _ body: (RawSpan) throws -> Void) throws {
        guard hasFollowed else { return try matches.rows.withRow(number, body) }
        let row = try matches.keys.withRow(number) { key in
            try unsafe key.withUnsafeBytes { try unsafe transaction.get($0) }
        }
        if let row { try unsafe body(row.span.bytes) }
    }

    /// Updates all matching rows.
    func update(_ statement: UpdateStatement, _ binding: TableBinding) throws -> ChangeResult {
        let plan = catalogue.writePlan(binding.table)
        var result = ChangeResult()
        if statement.isReturning { result.shape = binding.shape }
        let matches = try matches(binding, statement.predicate, isReturning: statement.isReturning)
        guard !matches.rows.isEmpty, statement.row.count == 1 else { return result }
        let changes = try changedColumns(statement, binding, plan)
        let changed = changes.map(\.position)
        var composer = RowComposer(plan.layout)
        var sources: [RowComposer.Source] = []
        var sourcesLayout: UInt16?
        try statement.row.withRow(0) { new in
            for number in 0..<matches.rows.count {
                try withCurrentRow(matches, number) { old in
                    let layout = try RowHeader.layout(of: old)
                    if layout != sourcesLayout {
                        sources = try RowWriter.unchanged(plan, try plan.columns(of: old))
                        for (position, source) in changes { sources[position] = source }
                        sourcesLayout = layout
                    }
                    try composer.compose(sources, old: old, new: new)
                    let key = matches.keys.withRow(number) { unsafe $0.withUnsafeBytes { unsafe Array($0) } }
                    try unsafe change(
                        plan, key: key, from: old, to: composer.bytes.span.bytes, depth: 0, changed: changed)
                    result.count += 1
                    if statement.isReturning { unsafe result.rows.append(composer.bytes.span.bytes) }
                }
                try finishPending()
            }
        }
        return result
    }

    private func changedColumns(
        _ statement: UpdateStatement, _ binding: TableBinding, _ plan: TableWritePlan
    ) throws -> [(position: Int, source: RowComposer.Source)] {
        try statement.columns.map { number in
            guard binding.positions.indices.contains(number), let position = binding.positions[number] else {
                throw CRUDSQLExeError(
                    "The table has no such column. Create it anew with .reconcileTable.", code: .noColumn,
                    table: plan.table.name,
                    column: binding.positions.indices.contains(number) ? binding.structure.columns[number].name : nil)
            }
            let slot = binding.structure.layout.slots[number]
            return (position, .slot(slot, isOld: false, for: plan.layout.slots[position].type))
        }
    }

    /// Deletes all matching rows.
    func delete(_ statement: DeleteStatement, _ binding: TableBinding) throws -> ChangeResult {
        let plan = catalogue.writePlan(binding.table)
        var result = ChangeResult()
        if statement.isReturning { result.shape = binding.shape }
        // Rows that refer to their own table are deleted as well, so these references need no check.
        let isReferredTo = plan.incoming.contains { $0.table.id != plan.table.id || $0.onDelete == .restrict }
        if statement.predicate == nil, !statement.isReturning, !isReferredTo {
            return try deleteAll(plan, result)
        }
        let matches = try matches(binding, statement.predicate, isReturning: statement.isReturning)
        for number in 0..<matches.rows.count {
            try withCurrentRow(matches, number) { row in
                try matches.keys.withRow(number) { key in try remove(plan, key: key, row, depth: 0) }
            }
            try finishPending()
        }
        result.count = matches.rows.count
        if statement.isReturning { result.rows = matches.rows }
        return result
    }

    /// Deletes all rows of a table without incoming references by one range deletion. Only the count needs a scan.
    private func deleteAll(_ plan: TableWritePlan, _ result: ChangeResult) throws -> ChangeResult {
        var result = result
        result.count = try transaction.count(prefix: plan.table.rowPrefix)
        if result.count == 0 { return result }
        try transaction.deleteRange(prefix: KeySpace.table(plan.table.id))
        rowChanges[plan.table.id, default: 0] -= result.count
        if plan.table.hasRowNumbers || plan.table.hasIntegerKey { tablesToMark.insert(plan.table.id) }
        return result
    }
}

extension Transaction {
    /// Deletes all keys that begin with a prefix.
    func deleteRange(prefix: [UInt8]) throws {
        let range = KeySpace.range(prefix)
        guard let end = range.to else { return }
        try deleteRange(from: range.from, to: end)
    }
}
