import TableKit

/// Deletes whose foreign key actions reach further rows.
extension SchemaDialect {
    /// Runs a delete after a read of the rows that match its condition. A server counts and returns the rows that it
    /// deletes by the condition: not those that an action has deleted before, and others as an action has left them.
    /// - Parameters:
    ///   - lock: the end of the statement that reads.
    ///   - prepare: runs between the read and the delete.
    func deleteAfterRead(
        _ change: SQLChange, lock: String = "", _ connection: any SQLConnection, prepare: () throws -> Void = {}
    ) throws -> (count: Int, rows: [[ColumnValue]]) {
        let rows = try matchingRows(change, lock: lock, connection)
        try prepare()
        _ = try connection.executeAll([try change.text().statement()] + change.closing)
        if !change.returning.isEmpty { return (rows.count, rows) }
        return (rows.first?.first?.int ?? 0, [])
    }

    /// The rows that match a change's condition, with the columns that it returns; if it returns none, their number.
    func matchingRows(
        _ change: SQLChange, lock: String, _ connection: any SQLConnection
    ) throws -> [[ColumnValue]] {
        let structure = change.table.structure
        let columns = change.returning.map { structure.columns[$0] }
        for number in change.returning { try change.table.checkReadable(number) }
        let terms = try columns.map { try quote($0.name) }.joined(separator: ", ")
        var text = SQLText(self, "SELECT \(columns.isEmpty ? "count(*)" : terms) FROM \(try quote(structure.name))")
        try change.condition(&text)
        text += lock
        return try connection.execute(text.statement(results: columns.isEmpty ? [.int64] : columns.map(\.type))).rows
    }
}

extension SQLChange {
    /// Whether this is a delete whose actions may delete other rows of its condition or, if it returns rows, change them.
    var reachesOwnRows: Bool {
        guard assigned.isEmpty else { return false }
        let name = table.structure.name
        let references = table.structure.columns.compactMap(\.foreignKey)
        let actions: Set<ForeignKeyAction> = returning.isEmpty ? [.cascade] : [.cascade, .setNull, .setDefault]
        // Most tables have no such column.
        guard references.contains(where: { actions.contains($0.onDelete) }) else { return false }
        let deleting = tables.values.cascading(from: name)
        return references.contains { actions.contains($0.onDelete) && deleting.contains($0.table) }
    }
}

extension Sequence<SQLTable> {
    /// A table and those whose rows a delete from it deletes by CASCADE.
    func cascading(from name: String) -> Set<String> {
        referring(to: name) { $0.onDelete == .cascade }.union([name])
    }
}
