import Foundation
package import TableKit

/// Facts about a column that the server's catalogue cannot hold: the exact type, and a foreign key to a table that does
/// not exist yet. Stored as the column's comment: `siltstone {"type":"uint8"}`.
package struct ColumnNote: Codable {
    private static let prefix = "siltstone "

    package var type: String?
    package var references: Reference?

    /// A foreign key.
    package struct Reference: Codable {
        package var table: String
        package var onDelete: ForeignKeyAction
        package var onUpdate: ForeignKeyAction
    }

    /// The note of a column.
    package init(_ column: Column) {
        type = column.type.noteName
        references = column.foreignKey.map { Reference(table: $0.table, onDelete: $0.onDelete, onUpdate: $0.onUpdate) }
    }

    /// Parses a column's comment; nil if it holds no note.
    package init?(comment: String?) {
        guard let comment, comment.hasPrefix(Self.prefix) else { return nil }
        do {
            self = try JSONDecoder().decode(
                ColumnNote.self, from: Data(comment.utf8.dropFirst(Self.prefix.utf8.count)))
        } catch { return nil }
    }

    /// Encodes the note as a comment.
    package func comment() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Self.prefix + String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// The exact type.
    package var columnType: ColumnType? { ColumnType.allCases.first { $0.noteName == type } }

    /// The foreign key.
    package var foreignKey: ForeignKeyReference? {
        references.map { ForeignKeyReference(table: $0.table, onDelete: $0.onDelete, onUpdate: $0.onUpdate) }
    }
}

extension ColumnType {
    /// The name in notes: the name of the case.
    package var noteName: String { "\(self)" }
}

extension ForeignKeyAction {
    /// Parses SQL's name of an action. Unknown names and nil mean NO ACTION.
    init(sql: String?) {
        let others: [ForeignKeyAction] = [.restrict, .setNull, .setDefault, .cascade]
        self = others.first { $0.sql == sql } ?? .ignore
    }
}
