#if PostgreSQL || MySQL || SQLite
import Foundation
import Siltstone
import SiltstoneTables
import TableKit

@testable import SiltTool

/// Makes a store beside a sample's.
/// - Returns: its path.
func makeStore(_ sample: MovedSample, _ body: (any TableEngine) throws -> Void) throws -> String {
    let path = sample.directory + "/\(UUID().uuidString).silt"
    try KeyValueStore.open(at: path).closing { store in
        try body(try SiltstoneDatabaseConfiguration(store: store).engine)
    }
    return path
}

/// Runs `body` with the engine of a place.
func withEngine<R>(_ place: String, _ body: (any TableEngine) throws -> R) throws -> R {
    let endpoint = try MovePlace(place).open(isTarget: true)
    defer { try? endpoint.close() }
    return try body(endpoint.engine)
}

extension TableSession {
    /// Inserts rows by one statement.
    func insert(_ table: TableStructure, _ rows: [[ColumnValue]]) throws {
        var buffer = RowBuffer()
        for row in rows { try buffer.append(row, layout: table.layout) }
        _ = try insert(InsertStatement(table, rows: buffer))
    }
}
#endif
