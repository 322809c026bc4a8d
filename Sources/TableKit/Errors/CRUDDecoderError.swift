/// A row that does not decode as the type asked for.
public struct CRUDDecoderError: TableError {
    /// What went wrong, for programs.
    public let code: TableErrorCode
    /// The table that it concerns.
    public let table: String?
    /// The column that it concerns.
    public let column: String?
    /// The key of the row that it concerns, as a person reads it.
    public let key: String?
    /// What went wrong and what to do, for people.
    public let message: String
    /// The same as message.
    public var msg: String { message }

    /// An error, which is logged.
    public init(
        _ message: String, code: TableErrorCode = .type, table: String? = nil, column: String? = nil,
        key: String? = nil
    ) {
        self.code = code
        self.table = table
        self.column = column
        self.key = key
        self.message = message
        CRUDLogging.logError(description)
    }
}
