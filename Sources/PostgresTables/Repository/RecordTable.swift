#if PostgreSQL
import Foundation
import TableKit
import TableSQL

/// The statements on the table of one repository: `id`, the identifier's UTF-8, and `item`.
///
/// Both columns are `bytea`: any identifier fits, even with null characters, and the order is by bytes in every locale.
struct RecordTable: RecordStatements {
    private let name: String

    init(_ tableName: String) { name = "\"\(Self.name(of: tableName))\"" }

    /// The server's name of a table.
    static func name(of tableName: String) -> String {
        RecordTableName.name(of: tableName, limit: 63, hasCapitals: true)
    }

    func create(_ connection: any SQLConnection) throws {
        // IF NOT EXISTS does not prevent a conflict in the catalogue if two programs create the table at once.
        do {
            _ = try connection.execute(
                statement("CREATE TABLE IF NOT EXISTS \(name) (id bytea PRIMARY KEY, item bytea NOT NULL)"))
        } catch let error as SQLConnectionError where error.code == .unique || error.code == .exists {}
    }

    func select(_ id: String) -> SQLStatement {
        statement("SELECT item FROM \(name) WHERE id = $1::bytea", [bytes(id)], results: [.bytes])
    }

    func exists(_ id: String) -> SQLStatement {
        statement("SELECT TRUE FROM \(name) WHERE id = $1::bytea", [bytes(id)], results: [.bool])
    }

    func insert(_ record: Data, _ id: String, _ connection: any SQLConnection) throws -> Bool {
        let insertion = statement(
            "INSERT INTO \(name) (id, item) VALUES ($1::bytea, $2::bytea) ON CONFLICT (id) DO NOTHING",
            [bytes(id), bytes(record)])
        return try connection.execute(insertion).changedRows == 1
    }

    func update(_ record: Data, _ id: String) -> SQLStatement {
        statement("UPDATE \(name) SET item = $2::bytea WHERE id = $1::bytea", [bytes(id), bytes(record)])
    }

    func upsert(_ record: Data, _ id: String) -> SQLStatement {
        statement(
            "INSERT INTO \(name) (id, item) VALUES ($1::bytea, $2::bytea)"
                + " ON CONFLICT (id) DO UPDATE SET item = excluded.item", [bytes(id), bytes(record)])
    }

    func delete(_ id: String) -> SQLStatement { statement("DELETE FROM \(name) WHERE id = $1::bytea", [bytes(id)]) }

    func insert(
        _ records: ArraySlice<(id: String, record: Data)>, _ connection: any SQLConnection
    ) throws -> String? {
        let ids = records.map { ColumnValue.bytes(Array($0.id.utf8)) }
        let items = records.map { ColumnValue.bytes(Array($0.record)) }
        let insertion = statement(
            "INSERT INTO \(name) (id, item) SELECT * FROM unnest($1::bytea[], $2::bytea[])"
                + " ON CONFLICT (id) DO NOTHING RETURNING id", [.array(ids, .bytes), .array(items, .bytes)],
            results: [.bytes])
        let stored = Set(try connection.execute(insertion).rows.map { $0[0].bytes })
        return stored.count == records.count ? nil : records.first { !stored.contains(Array($0.id.utf8)) }?.id
    }

    func delete(_ ids: ArraySlice<String>) -> SQLStatement {
        statement(
            "DELETE FROM \(name) WHERE id = ANY ($1::bytea[]) RETURNING id",
            [.array(ids.map { .bytes(Array($0.utf8)) }, .bytes)], results: [.bytes])
    }

    func page(
        after id: String?, limit: Int, withItems: Bool, _ connection: any SQLConnection
    ) throws -> [(id: [UInt8], item: [UInt8])] {
        let limit = SQLStatement.Parameter.value(.integer(Int64(max(limit, 0))), .int64)
        let columns = withItems ? "id, item" : "id"
        let results: [ColumnType] = withItems ? [.bytes, .bytes] : [.bytes]
        let page =
            if let id {
                statement(
                    "SELECT \(columns) FROM \(name) WHERE id > $1::bytea ORDER BY id LIMIT $2::bigint",
                    [bytes(id), limit], results: results)
            } else {
                statement("SELECT \(columns) FROM \(name) ORDER BY id LIMIT $1::bigint", [limit], results: results)
            }
        return try connection.execute(page).rows.map { ($0[0].bytes, withItems ? $0[1].bytes : []) }
    }

    var count: SQLStatement { statement("SELECT count(*) FROM \(name)", results: [.int64]) }
}
#endif
