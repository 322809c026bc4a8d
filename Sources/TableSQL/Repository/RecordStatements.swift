package import Foundation
package import TableKit

/// The statements on the table of one repository: `id`, the identifier's UTF-8, and `item`. What a dialect implements.
package protocol RecordStatements: Sendable {
    /// Makes the table, where it is not there.
    func create(_ connection: any SQLConnection) throws

    func select(_ id: String) -> SQLStatement
    /// A row where the identifier is in use.
    func exists(_ id: String) -> SQLStatement
    func update(_ record: Data, _ id: String) -> SQLStatement
    func upsert(_ record: Data, _ id: String) -> SQLStatement
    func delete(_ id: String) -> SQLStatement
    /// Returns the identifiers that were in use, and are not any more.
    func delete(_ ids: ArraySlice<String>) -> SQLStatement
    var count: SQLStatement { get }

    /// - Returns: false where the identifier is in use; then nothing has changed.
    func insert(_ record: Data, _ id: String, _ connection: any SQLConnection) throws -> Bool

    /// Stores some records in a transaction, which the caller takes back where an identifier is returned.
    /// - Returns: an identifier that is in use.
    func insert(
        _ records: ArraySlice<(id: String, record: Data)>, _ connection: any SQLConnection
    ) throws -> String?

    /// One page of records in the order of identifiers: their bytes, and those of the items where they are asked for.
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
    /// The bytes of a column of bytes.
    package var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

/// The server's name of a repository's table.
package enum RecordTableName {
    /// `repository_` and the name. Some bytes stand for themselves, others are escaped; a name that the server would cut ends
    /// with a digest.
    /// - Parameters:
    ///   - isPlain: whether a byte stands for itself.
    ///   - limit: the most bytes that the server takes.
    package static func name(of tableName: String, limit: Int, isPlain: (UInt8) -> Bool) -> String {
        var name = "repository_"
        for byte in tableName.utf8 {
            if isPlain(byte) {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                name += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        guard name.utf8.count > limit else { return name }
        // No escaped name has two of these signs beside each other.
        return name.prefix(28) + "%%" + Digest128.hexadecimal(tableName.utf8)
    }
}
