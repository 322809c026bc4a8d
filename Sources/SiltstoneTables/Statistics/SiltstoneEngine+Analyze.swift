import Siltstone
import TableKit

extension SiltstoneEngine {
    /// Collects and stores statistics of the keys and indexes of tables, on one snapshot and beside writers.
    /// - Parameter table: one table. Nil: all.
    /// - Throws: `TableErrorCode.noTable`.
    /// - Complexity: O(entries of all indexes). Holds some KiB for each index.
    public func analyze(_ table: String?) throws {
        try mappingStoreErrors {
            let snapshot = store.snapshot()
            defer { snapshot.release() }
            let catalogue = try Catalogue.load(from: snapshot, known: catalogues.newest)
            let tables = try table.map { [try catalogue.table($0)] } ?? catalogue.ordered
            let found = try tables.map { ($0.id, try Self.statistics(of: $0, in: snapshot)) }
            if found.isEmpty { return }
            turn.take()
            let session = try beginSerial()
            defer { session.rollback() }
            try session.edit { editor in
                for (table, statistics) in found { try editor.put(statistics, of: table) }
            }
            try session.commit()
        }
    }

    private static func statistics(of table: TableDescription, in snapshot: Snapshot) throws -> TableStatistics {
        var indexes: [UInt64: IndexStatistics] = [:]
        func survey(_ prefix: [UInt8], _ columns: Int) throws -> IndexStatistics {
            var survey = IndexSurvey(prefixBytes: prefix.count, columns: columns)
            try snapshot.forEachKey(prefix: prefix) { key in
                try survey.add(key)
                return true
            }
            return survey.finish()
        }
        let rows = try survey(table.rowPrefix, max(table.primaryKey.count, 1))
        if !table.primaryKey.isEmpty { indexes[KeySpace.rowsNumber] = rows }
        for index in table.indexes where index.isReady {
            indexes[index.description.id] = try survey(index.prefix, index.columns.count)
        }
        return TableStatistics(rows: rows.entries, indexes: indexes)
    }
}
