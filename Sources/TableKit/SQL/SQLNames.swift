/// Looks names up: exactly, then without case.
extension TableSession {
    /// The table of a name, if there is one.
    func tableIfPresent(_ name: SQLName) throws -> TableInfo? {
        if let table = try table(named: name.text) { return table }
        let folded = name.text.lowercased()
        let found = try tables().filter { $0.structure.name.lowercased() == folded }
        return found.count == 1 ? found[0] : nil
    }

    /// The table of a name.
    func existingTable(_ name: SQLName) throws -> TableInfo {
        if let table = try tableIfPresent(name) { return table }
        throw CRUDSQLGenError(
            "Line \(name.token.line), column \(name.token.column): there is no such table.", code: .noTable,
            table: name.text)
    }

    /// The index of a name, if there is one.
    func indexIfPresent(_ name: SQLName) throws -> IndexDefinition? {
        let all = try tables().flatMap { $0.indexes.map(\.definition) }
        let folded = name.text.lowercased()
        return all.first { $0.sqlName == name.text } ?? all.first { $0.sqlName.lowercased() == folded }
    }
}

extension TableStructure {
    /// The number of a column.
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
    /// The name, or that which an index without one goes by.
    package var sqlName: String { name ?? "index_" + ([table] + columns).joined(separator: "_") }
}
