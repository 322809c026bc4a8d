import TableKit

/// A state of the reference engine's database. A value type, so a transaction is a copy.
struct ReferenceState: Sendable {
    var tables: [String: ReferenceTable] = [:]
    /// The tables changed by the current statement.
    var changed: Set<String> = []

    /// The table with this name.
    func table(_ name: String) throws -> ReferenceTable {
        guard let table = tables[name] else {
            throw CRUDSQLExeError("There is no such table.", code: .noTable, table: name)
        }
        return table
    }

    /// Runs a statement atomically, and checks all constraints.
    mutating func run<R>(_ statement: (inout ReferenceState) throws -> R) throws -> R {
        var copy = self
        copy.changed = []
        let result = try statement(&copy)
        try copy.checkUniqueIndexes()
        try copy.checkForeignKeys()
        self = copy
        return result
    }

    private func checkUniqueIndexes() throws {
        for name in changed.sorted() {
            guard let table = tables[name] else { continue }
            for index in table.indexes {
                guard let duplicate = table.duplicate(in: index) else { continue }
                throw CRUDSQLExeError(
                    "Two rows have the same values of a unique index.", code: .unique, table: name,
                    column: index.columns.joined(separator: ", "), key: "\(duplicate.values)")
            }
        }
    }

    /// Problems of the rows, as sentences.
    func problems() -> [String] {
        var copy = self
        copy.changed = Set(tables.keys)
        do {
            try copy.checkUniqueIndexes()
            try copy.checkForeignKeys()
            for table in tables.values { for row in table.rows.values { try table.checkNotNull(row) } }
            return []
        } catch {
            return ["\(error)"]
        }
    }
}
