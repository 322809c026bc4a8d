import Foundation
import TableKit

/// Repeated reads of a catalogue that lacks a table, or a part of one, for a moment. MariaDB's does while another
/// session's ALTER renames a table's files.
enum CatalogueReads {
    /// The time between two reads, in seconds. A renaming takes less.
    static let pause = 0.05
    /// The most reads for two that agree.
    private static let most = 20

    static func pauseForRenaming() { Thread.sleep(forTimeInterval: pause) }

    /// Reads tables until two reads in succession agree.
    /// - Parameters:
    ///   - first: an earlier read, at least ``pause`` ago; nil if there is none.
    ///   - read: reads the tables once.
    /// - Throws: ``TableErrorCode/conflict`` if each read differs from the one before.
    static func agreed(
        with first: [String: SQLTable]? = nil, _ read: () throws -> [String: SQLTable]
    ) throws -> [String: SQLTable] {
        var last = try read()
        if let first, first.haveSameStructures(as: last) { return last }
        for _ in 1..<most {
            pauseForRenaming()
            let next = try read()
            if next.haveSameStructures(as: last) { return next }
            last = next
        }
        throw CRUDSQLExeError(
            "Other programs change the structure of tables all the time: \(most) reads of the catalogue did not agree.",
            code: .conflict)
    }
}

extension SchemaDialect {
    /// Reads the tables of the database once, by name.
    func readTables(_ connection: any SQLConnection) throws -> [String: SQLTable] {
        let read = Dictionary(try readCatalogue(connection).map { ($0.structure.name, $0) }) { first, _ in first }
        var tables = read
        for (name, table) in read where !table.unenforcedKeys.isEmpty {
            tables[name]?.refusedReferences = table.structure.columns.indices.filter { number in
                let column = table.structure.columns[number]
                guard let parent = column.foreignKey?.table, table.unenforcedKeys.contains(column.name) else {
                    return false
                }
                return read[parent]?.structure.primaryKey.count != 1
            }
        }
        return tables
    }
}

extension SQLTable {
    /// Whether the catalogue has described the same table. Estimates may differ.
    fileprivate func hasSameStructure(as other: SQLTable) -> Bool {
        info.hasSameStructure(as: other.info) && rowColumn == other.rowColumn
            && unenforcedKeys == other.unenforcedKeys && hasOtherUniques == other.hasOtherUniques
    }
}

extension [String: SQLTable] {
    func haveSameStructures(as others: [String: SQLTable]) -> Bool {
        count == others.count && allSatisfy { name, table in others[name].map(table.hasSameStructure) ?? false }
    }
}
