import TableKit

/// Columns that only tables of other programs have, and that a copy cannot keep as they are.
struct ForeignColumns {
    private let tables: [TableInfo]

    init(_ tables: [TableInfo]) { self.tables = tables }

    /// Throws if values would be rounded. Both ends are read in the same way, so the comparison at the end would not notice.
    /// - Throws: ``ToolError`` that names the columns.
    func refuseRounding() throws {
        let columns = named { !$0.isExact }
        if columns.isEmpty { return }
        throw ToolError(
            .usage,
            "numbers in \(columns.map { "\($0.name) (\($0.column.typeName))" }.joined(separator: ", ")) may have more than "
                + "the 15 digits that a copy keeps; choose other tables by --table, or accept it by --rounded")
    }

    /// Sentences about defaults and computations that the copy lacks.
    var notes: [String] {
        let generated = named(\.isGenerated).map { "\($0.name) is copied as values: \($0.column.typeName), GENERATED" }
        let computed = named { !$0.isGenerated }.compactMap { entry in
            entry.column.computedDefault.map { "\(entry.name) comes without its default: \($0)" }
        }
        return generated + computed
    }

    private func named(_ isMeant: (ServerColumn) -> Bool) -> [(name: String, column: ServerColumn)] {
        tables.flatMap { table in
            table.structure.columns.compactMap { column in
                guard let server = table.serverColumns[column.name], isMeant(server) else { return nil }
                return (table.structure.name + "." + column.name, server)
            }
        }
    }
}
