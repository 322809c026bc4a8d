/// What all errors of tables have in common.
///
/// Each error is logged when it is made (see `CRUDLogging`).
public protocol TableError: Error, CustomStringConvertible {
    /// What went wrong, for programs.
    var code: TableErrorCode { get }
    /// The table that it concerns, if one.
    var table: String? { get }
    /// The column that it concerns, if one.
    var column: String? { get }
    /// The key of the row that it concerns, as a person reads it, if one.
    var key: String? { get }
    /// What went wrong and what to do, for people.
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
