package import Foundation
package import TableKit

/// A dialect's statements on the table of one repository. Its columns: `id`, the identifier's UTF-8, and `item`.
package protocol RecordStatements: Sendable {
    /// Creates the table if it does not exist.
    func create(_ connection: any SQLConnection) throws

    func select(_ id: String) -> SQLStatement
    /// A query that returns a row if the identifier exists.
    func exists(_ id: String) -> SQLStatement
    func update(_ record: Data, _ id: String) -> SQLStatement
    func upsert(_ record: Data, _ id: String) -> SQLStatement
    func delete(_ id: String) -> SQLStatement
    /// Deletes identifiers and returns those that existed.
    func delete(_ ids: ArraySlice<String>) -> SQLStatement
    var count: SQLStatement { get }

    /// - Returns: false if the identifier exists; then nothing has changed.
    func insert(_ record: Data, _ id: String, _ connection: any SQLConnection) throws -> Bool

    /// Stores records in a transaction. If it returns an identifier, the caller rolls back.
    /// - Returns: an identifier that already exists.
    func insert(
        _ records: ArraySlice<(id: String, record: Data)>, _ connection: any SQLConnection
    ) throws -> String?

    /// A page of records in the order of identifiers: the identifiers' bytes and, if requested, the items'.
    func page(
        after id: String?, limit: Int, withItems: Bool, _ connection: any SQLConnection
    ) throws -> [(id: [UInt8], item: [UInt8])]
}

extension RecordStatements {
    package func statement(
        _ text: String, _ parameters: [SQLStatement.Parameter] = [], results: [ColumnType] = []
    ) -> SQLStatement {
        SQLStatement(text, parameters, results: results)
    }

    package func bytes(_ id: String) -> SQLStatement.Parameter { .value(.bytes(Array(id.utf8)), .bytes) }
    package func bytes(_ record: Data) -> SQLStatement.Parameter { .value(.bytes(Array(record)), .bytes) }
}

extension ColumnValue {
    /// The value of a bytes column; empty for other values.
    package var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

/// The server's name of a repository's table.
package enum RecordTableName {
    /// `repository_` and the name. ASCII letters, digits and the underscore stand for themselves, other bytes have `%`
    /// escapes. A name that exceeds the limit ends with a digest.
    /// - Parameters:
    ///   - limit: the most bytes of a name on the server.
    ///   - hasCapitals: whether capital letters stand for themselves: not where servers take them for small ones.
    package static func name(of tableName: String, limit: Int, hasCapitals: Bool) -> String {
        var name = "repository_"
        for byte in tableName.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "A")...UInt8(ascii: "Z") where hasCapitals:
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name += "%" + CollectionOfOne(byte).hexadecimal
            }
        }
        guard name.utf8.count > limit else { return name }
        // No escaped name contains two percent signs in a row.
        return name.prefix(28) + "%%" + Digest128.hexadecimal(tableName.utf8)
    }
}
