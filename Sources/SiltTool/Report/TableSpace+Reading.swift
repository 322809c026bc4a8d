import Siltstone
import SiltstoneTables
import TableKit

extension TableSpace {
    /// The tables of a store, by name.
    /// - Parameter sampleRows: the number of rows to read from each table.
    static func all(in store: KeyValueStore, sampleRows: Int) throws -> [TableSpace] {
        let engine = try SiltstoneDatabaseConfiguration(store: store).engine
        return try engine.reading { session in
            try session.tables().map { try TableSpace($0, session, sampleRows) }
        }
    }

    private init(_ info: TableInfo, _ session: any TableSession, _ sampleRows: Int) throws {
        let structure = info.structure
        name = structure.name
        columns = structure.columns.enumerated().map { number, column in
            Column(
                name: column.name, type: "\(column.type)", isKey: structure.primaryKey.contains(number),
                isOptional: column.isOptional, references: column.foreignKey?.table)
        }
        parts =
            [Part(index: nil, isUnique: false, entries: info.estimatedRows, bytes: info.estimatedBytes)]
            + info.indexes.map {
                Part(
                    index: $0.definition.columns, isUnique: $0.definition.isUnique,
                    entries: $0.estimatedEntries, bytes: $0.estimatedBytes)
            }
        sample = sampleRows == 0 ? [] : try Self.rows(structure, session, sampleRows)
    }

    private static func rows(_ table: TableStructure, _ session: any TableSession, _ count: Int) throws -> [[String?]] {
        var query = Query(table)
        query.limit = RowLimit(count: count)
        query.isDistinct = false
        let stream = try session.run(query)
        var rows: [[String?]] = []
        while let batch = try stream.next() {
            for row in 0..<batch.rows.count {
                rows.append(try batch.rows.values(ofRow: row, batch.shape).map(CellText.text))
            }
        }
        return rows
    }
}
