import Foundation
package import TableKit

/// What a database does not say of a column by itself: the exact type, and a foreign key whose table does not exist yet. Kept
/// as the column's comment: `siltstone {"type":"uint8"}`.
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

    /// The note in a comment; nil where there is none.
    package init?(comment: String?) {
        guard let comment, comment.hasPrefix(Self.prefix) else { return nil }
        do {
            self = try JSONDecoder().decode(
                ColumnNote.self, from: Data(comment.utf8.dropFirst(Self.prefix.utf8.count)))
        } catch { return nil }
    }

    /// The comment.
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
    /// The name in notes: the case's.
    package var noteName: String { "\(self)" }
}

extension ForeignKeyAction {
    /// The action of a word of SQL; NO ACTION is for others.
    init(sql: String?) {
        let others: [ForeignKeyAction] = [.restrict, .setNull, .setDefault, .cascade]
        self = others.first { $0.sql == sql } ?? .ignore
    }

    /// The action in SQL.
    package var sql: String {
        switch self {
        case .ignore: "NO ACTION"
        case .restrict: "RESTRICT"
        case .setNull: "SET NULL"
        case .setDefault: "SET DEFAULT"
        case .cascade: "CASCADE"
        }
    }
}
