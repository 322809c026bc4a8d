/// The common protocol of all errors of tables.
///
/// Each error is logged when it is created (see `CRUDLogging`).
public protocol TableError: Error, CustomStringConvertible {
    /// The error code.
    var code: TableErrorCode { get }
    /// The affected table, if any.
    var table: String? { get }
    /// The affected column, if any.
    var column: String? { get }
    /// The key of the affected row as text, if any.
    var key: String? { get }
    /// The cause and the remedy, for people.
    var message: String { get }
    /// An error.
    init(_ message: String, code: TableErrorCode, table: String?, column: String?, key: String?)
}

extension TableError {
    /// The message with the table, the column and the key.
    public var description: String {
        var place = ""
        if let table { place += " table \(table)" }
        if let column { place += " column \(column)" }
        if let key { place += " key \(key)" }
        return place.isEmpty ? "\(message) (\(code.rawValue))" : "\(message) (\(code.rawValue):\(place))"
    }
}
