#if PostgreSQL
import Foundation
import TableKit
import TableSQL

/// The statements on the table of one repository: `id`, the identifier's UTF-8, and `item`.
///
/// Both are `bytea`: any identifier fits, null characters too, and the order is that of bytes in every locale.
struct RecordTable: Sendable {
    private let name: String

    init(_ tableName: String) { name = "\"\(Self.name(of: tableName))\"" }

    /// The server's name of a table. Letters, digits and the underscore stand for themselves, other bytes are escaped; a
    /// name that the server would cut ends with a digest.
    static func name(of tableName: String) -> String {
        var name = "repository_"
        for byte in tableName.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        guard name.utf8.count > 63 else { return name }
        // No escaped name has two of these signs beside each other.
        return name.prefix(28) + "%%" + Digest128.hexadecimal(tableName.utf8)
    }

    private func statement(
        _ text: String, _ parameters: [SQLStatement.Parameter] = [], results: [ColumnType] = []
    ) -> SQLStatement {
        SQLStatement(text, parameters, results: results)
    }

    private func bytes(_ id: String) -> SQLStatement.Parameter { .value(.bytes(Array(id.utf8)), .bytes) }
    private func bytes(_ record: Data) -> SQLStatement.Parameter { .value(.bytes(Array(record)), .bytes) }

    var create: SQLStatement {
        statement("CREATE TABLE IF NOT EXISTS \(name) (id bytea PRIMARY KEY, item bytea NOT NULL)")
    }

    func select(_ id: String) -> SQLStatement {
        statement("SELECT item FROM \(name) WHERE id = $1::bytea", [bytes(id)], results: [.bytes])
    }

    func exists(_ id: String) -> SQLStatement {
        statement("SELECT TRUE FROM \(name) WHERE id = $1::bytea", [bytes(id)], results: [.bool])
    }

    func insert(_ record: Data, _ id: String) -> SQLStatement {
        statement(
            "INSERT INTO \(name) (id, item) VALUES ($1::bytea, $2::bytea) ON CONFLICT (id) DO NOTHING",
            [bytes(id), bytes(record)])
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

    /// Returns the identifiers that were not in use and are now.
    func insert(_ records: ArraySlice<(id: String, record: Data)>) -> SQLStatement {
        let ids = records.map { ColumnValue.bytes(Array($0.id.utf8)) }
        let items = records.map { ColumnValue.bytes(Array($0.record)) }
        return statement(
            "INSERT INTO \(name) (id, item) SELECT * FROM unnest($1::bytea[], $2::bytea[])"
                + " ON CONFLICT (id) DO NOTHING RETURNING id", [.array(ids, .bytes), .array(items, .bytes)],
            results: [.bytes])
    }

    /// Returns the identifiers that were in use.
    func delete(_ ids: ArraySlice<String>) -> SQLStatement {
        statement(
            "DELETE FROM \(name) WHERE id = ANY ($1::bytea[]) RETURNING id",
            [.array(ids.map { .bytes(Array($0.utf8)) }, .bytes)], results: [.bytes])
    }

    func ids(after id: String?, limit: Int) -> SQLStatement { page("id", after: id, limit, [.bytes]) }

    func records(after id: String?, limit: Int) -> SQLStatement {
        page("id, item", after: id, limit, [.bytes, .bytes])
    }

    private func page(_ columns: String, after id: String?, _ limit: Int, _ results: [ColumnType]) -> SQLStatement {
        let limit = SQLStatement.Parameter.value(.integer(Int64(max(limit, 0))), .int64)
        guard let id else {
            return statement("SELECT \(columns) FROM \(name) ORDER BY id LIMIT $1::bigint", [limit], results: results)
        }
        return statement(
            "SELECT \(columns) FROM \(name) WHERE id > $1::bytea ORDER BY id LIMIT $2::bigint", [bytes(id), limit],
            results: results)
    }

    var count: SQLStatement { statement("SELECT count(*) FROM \(name)", results: [.int64]) }
}
#endif
