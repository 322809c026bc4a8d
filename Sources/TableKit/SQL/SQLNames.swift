/// Name look-up: exact first, then case-insensitive, if only one name matches so.
extension TableSession {
    /// The table with this name, or nil.
    func tableIfPresent(_ name: SQLName) throws -> TableInfo? {
        if let table = try table(named: name.text) { return table }
        let folded = name.text.lowercased()
        let found = try tables().filter { $0.structure.name.lowercased() == folded }
        return found.count == 1 ? found[0] : nil
    }

    /// The table with this name.
    func existingTable(_ name: SQLName) throws -> TableInfo {
        if let table = try tableIfPresent(name) { return table }
        throw CRUDSQLGenError(
            "Line \(name.token.line), column \(name.token.column): there is no such table.", code: .noTable,
            table: name.text)
    }

    /// The index with this name, or nil.
    func indexIfPresent(_ name: SQLName) throws -> IndexDefinition? {
        let all = try indexes()
        if let index = all.first(where: { $0.sqlName == name.text }) { return index }
        let folded = name.text.lowercased()
        let found = all.filter { $0.sqlName.lowercased() == folded }
        return found.count == 1 ? found[0] : nil
    }

    /// The indexes of all tables.
    func indexes() throws -> [IndexDefinition] { try tables().flatMap { $0.indexes.map(\.definition) } }
}

extension TableStructure {
    /// The number of the column with this name.
    func existingNumber(_ name: SQLName) throws(CRUDSQLGenError) -> Int {
        if let number = number(of: name.text) { return number }
        let folded = name.text.lowercased()
        let found = columns.indices.filter { columns[$0].name.lowercased() == folded }
        if found.count == 1 { return found[0] }
        throw CRUDSQLGenError(
            "Line \(name.token.line), column \(name.token.column): there is no such column.", code: .noColumn,
            table: self.name, column: name.text)
    }
}

extension IndexDefinition {
    /// The name of an index without one.
    package var usualName: String { "index_" + ([table] + columns).joined(separator: "_") }

    /// The name, or the usual one.
    package var sqlName: String { name ?? usualName }
}
