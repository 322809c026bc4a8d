import SiltstoneTables
import TableKit

extension Command {
    static let schema = Command(
        name: "schema", operands: "STORE [TABLE]", summary: "show the columns, keys and indexes of tables",
        discussion: """
            Prints the statements of SQL that would make the tables, or the one table. 'silt query'
            takes them. With --json, columns, keys and indexes as values.
            """,
        options: [.json],
        examples: ["silt schema people.silt", "silt schema people.silt Person"],
        run: Schema.run)
}

private enum Schema {
    private struct ColumnReport: Encodable {
        var name: String
        var type: String
        var isOptional: Bool
        var isKey: Bool
        var references: String?
    }

    private struct IndexReport: Encodable {
        var columns: [String]
        var isUnique: Bool
        var isReady: Bool
    }

    private struct TableReport: Encodable {
        var name: String
        var columns: [ColumnReport]
        var indexes: [IndexReport]
    }

    static func run(_ invocation: Invocation) throws -> ExitCode {
        var infos = try invocation.readingTables { engine, _ in try engine.reading { try $0.tables() } }
        if let name = invocation.operand(1) {
            infos = infos.filter { $0.structure.name == name }
            if infos.isEmpty { throw ToolError(.negative, "there is no table '\(name)'") }
        }
        if invocation.has(.json) {
            try JSONReport.print(infos.map(report))
        } else {
            try Terminal.print(
                infos.map { SchemaText.statements($0).joined(separator: "\n") + "\n" }.joined(separator: "\n"))
        }
        return .success
    }

    private static func report(_ info: TableInfo) -> TableReport {
        TableReport(
            name: info.structure.name,
            columns: info.structure.columns.enumerated().map { number, column in
                ColumnReport(
                    name: column.name, type: "\(column.type)", isOptional: column.isOptional,
                    isKey: info.structure.primaryKey.contains(number), references: column.foreignKey?.table)
            },
            indexes: info.indexes.map {
                IndexReport(
                    columns: $0.definition.columns, isUnique: $0.definition.isUnique, isReady: $0.state == .ready)
            })
    }
}
