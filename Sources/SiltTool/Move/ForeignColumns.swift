import SiltstoneTables
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

    /// Throws if a column refers to a key of another type, which a store accepts in no new table.
    /// - Parameter made: the tables that the store has.
    /// - Throws: ``ToolError`` that names the columns and the keys.
    func refuseMixedReferences(besides made: Set<String>) throws {
        let structures = Dictionary(tables.map { ($0.structure.name, $0.structure) }) { first, _ in first }
        let columns = structures.values.sorted { $0.name < $1.name }.flatMap { table in
            table.columns.compactMap { column -> String? in
                guard let parent = column.foreignKey.flatMap({ structures[$0.table] }), parent.primaryKey.count == 1,
                    !made.isSuperset(of: [table.name, parent.name])
                else { return nil }
                let key = parent.columns[parent.primaryKey[0]]
                if column.type.canRefer(to: key.type) { return nil }
                return "\(table.name).\(column.name) (\(column.type)) refers to "
                    + "\(parent.name).\(key.name) (\(key.type))"
            }
        }
        if columns.isEmpty { return }
        throw ToolError(
            .usage,
            "a store has no references between columns of two types, but \(columns.joined(separator: ", ")); give both "
                + "the same type, or choose other tables by --table")
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
