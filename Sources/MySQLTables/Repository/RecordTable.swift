#if MySQL
import Foundation
import TableKit
import TableSQL

/// The statements on the table of one repository: `id`, the identifier's UTF-8, and `item`.
///
/// Both columns are bytes: any identifier fits, even with null characters, and the order is by bytes. The row of a long
/// identifier has its beginning and a digest as `id`, and the whole identifier as `whole`.
///
/// Begins as PostgreSQL's table does, but each name has the quotes and the limit of its server.
struct RecordTable: RecordStatements {
    private let name: String

    init(_ tableName: String) { name = "`\(Self.name(of: tableName))`" }

    /// The server's name of a table. Some servers take capital letters for small ones.
    static func name(of tableName: String) -> String {
        RecordTableName.name(of: tableName, limit: 64, hasCapitals: false)
    }

    // MARK: Keys

    /// The longest identifier that is a key as it is. Keys end at 3,072 bytes.
    static let keyBytes = 3000

    private func isLong(_ id: String) -> Bool { id.utf8.count > Self.keyBytes }

    /// The key of an identifier: itself, or its beginning and a digest of it, which no shorter one has.
    private func key(_ id: String) -> String {
        isLong(id) ? "CONCAT(LEFT(?, \(Self.keyBytes)), UNHEX(SHA2(?, 256)))" : "?"
    }

    private func parameters(_ id: String) -> [SQLStatement.Parameter] {
        isLong(id) ? [bytes(id), bytes(id)] : [bytes(id)]
    }

    /// The identifier as it was given.
    private let given = "COALESCE(whole, id)"

    // MARK: Statements

    func create(_ connection: any SQLConnection) throws {
        _ = try connection.execute(
            statement(
                "CREATE TABLE IF NOT EXISTS \(name) (id VARBINARY(3072) NOT NULL PRIMARY KEY, whole LONGBLOB,"
                    + " item LONGBLOB NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC"))
    }

    func select(_ id: String) -> SQLStatement {
        statement("SELECT item FROM \(name) WHERE id = \(key(id))", parameters(id), results: [.bytes])
    }

    func exists(_ id: String) -> SQLStatement {
        statement("SELECT 1 FROM \(name) WHERE id = \(key(id))", parameters(id), results: [.int64])
    }

    func insert(_ record: Data, _ id: String, _ connection: any SQLConnection) throws -> Bool {
        do { return try connection.execute(insertion([(id, record)])).changedRows == 1 } catch let error
            as SQLConnectionError where error.code == .unique
        { return false }
    }

    func update(_ record: Data, _ id: String) -> SQLStatement {
        statement("UPDATE \(name) SET item = ? WHERE id = \(key(id))", [bytes(record)] + parameters(id))
    }

    func upsert(_ record: Data, _ id: String) -> SQLStatement {
        var statement = insertion([(id, record)])
        statement.text += " ON DUPLICATE KEY UPDATE item = VALUES(item)"
        return statement
    }

    func delete(_ id: String) -> SQLStatement {
        statement("DELETE FROM \(name) WHERE id = \(key(id))", parameters(id))
    }

    func insert(
        _ records: ArraySlice<(id: String, record: Data)>, _ connection: any SQLConnection
    ) throws -> String? {
        do { _ = try connection.execute(insertion(records)) } catch let error as SQLConnectionError
            where error.code == .unique
        {
            let used = Set(try connection.execute(among(records.map(\.id)[...])).rows.map { $0[0].bytes })
            var seen: Set<[UInt8]> = []
            guard
                let id = records.first(where: { item in
                    let bytes = Array(item.id.utf8)
                    return used.contains(bytes) || !seen.insert(bytes).inserted
                })
            else { throw error }
            return id.id
        }
        return nil
    }

    private func insertion(_ records: ArraySlice<(id: String, record: Data)>) -> SQLStatement {
        let isPlain = !records.contains { isLong($0.id) }
        let rows = records.map { "(\(key($0.id)), \(isLong($0.id) ? "?" : "NULL"), ?)" }
        let values = records.flatMap { record in
            parameters(record.id) + (isLong(record.id) ? [bytes(record.id)] : []) + [bytes(record.record)]
        }
        var statement = statement(
            "INSERT INTO \(name) (id, whole, item) VALUES \(rows.joined(separator: ", "))", values)
        statement.isRepeated = records.count == 1 || (isPlain && records.count == 1000)
        return statement
    }

    func delete(_ ids: ArraySlice<String>) -> SQLStatement {
        list("DELETE FROM \(name) WHERE id IN", ids, then: " RETURNING \(given)")
    }

    /// Returns the identifiers that are in use.
    private func among(_ ids: ArraySlice<String>) -> SQLStatement {
        list("SELECT \(given) FROM \(name) WHERE id IN", ids, then: "")
    }

    private func list(_ text: String, _ ids: ArraySlice<String>, then end: String) -> SQLStatement {
        SQLStatement(
            "\(text) (\(ids.map(key).joined(separator: ", ")))\(end)", ids.flatMap(parameters), results: [.bytes],
            isRepeated: ids.count == 1000 && !ids.contains(where: isLong))
    }

    func page(
        after id: String?, limit: Int, withItems: Bool, _ connection: any SQLConnection
    ) throws -> [(id: [UInt8], item: [UInt8])] {
        try RecordPage.read(after: id, limit: limit, withItems: withItems, connection, self)
    }

    /// Records behind a key, in the order of keys: the key, the whole identifier where it is long, and the item.
    func page(behind key: [UInt8]?, limit: Int, withItems: Bool) -> SQLStatement {
        let condition = key == nil ? "" : " WHERE id > ?"
        return statement(
            "SELECT id, whole\(withItems ? ", item" : "") FROM \(name)\(condition) ORDER BY id LIMIT ?",
            (key.map { [.value(.bytes($0), .bytes)] } ?? []) + [.value(.integer(Int64(limit)), .int64)],
            results: Array(repeating: .bytes, count: withItems ? 3 : 2))
    }

    /// Records of long identifiers with one beginning, in the order of the whole.
    func page(of head: [UInt8], behind whole: [UInt8]?, limit: Int, withItems: Bool) -> SQLStatement {
        var parameters = [head, Self.end(of: head)].map { SQLStatement.Parameter.value(.bytes($0), .bytes) }
        if let whole { parameters.append(.value(.bytes(whole), .bytes)) }
        parameters.append(.value(.integer(Int64(limit)), .int64))
        return statement(
            "SELECT id, whole\(withItems ? ", item" : "") FROM \(name) WHERE id > ? AND id <= ?"
                + "\(whole == nil ? "" : " AND whole > ?") ORDER BY whole LIMIT ?", parameters,
            results: Array(repeating: .bytes, count: withItems ? 3 : 2))
    }

    /// The greatest key that long identifiers of one beginning can have.
    static func end(of head: [UInt8]) -> [UInt8] { head + Array(repeating: 0xff, count: 32) }

    var count: SQLStatement { statement("SELECT COUNT(*) FROM \(name)", results: [.int64]) }
}
#endif
