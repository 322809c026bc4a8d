/// An error of tables. `catch` distinguishes its four kinds by type.
///
/// Use the type aliases: ``CRUDDecoderError``, ``CRUDEncoderError``, ``CRUDSQLExeError``, ``CRUDSQLGenError``.
public struct CRUDError<Kind: CRUDErrorKind>: TableError {
    /// The error code.
    public let code: TableErrorCode
    /// The affected table.
    public let table: String?
    /// The affected column.
    public let column: String?
    /// The key of the affected row, as text.
    public let key: String?
    /// The cause and the remedy, for people.
    public let message: String
    /// True if the database refuses every attempt, such as a login with a wrong password: observations do not retry.
    package var isLasting = false
    /// True if another program has changed the schema since the transaction read it: in a new transaction the same
    /// statements find what the other program has made.
    package var isOvertaken = false
    /// The same as ``message``.
    public var msg: String { message }

    /// Creates an error and logs it.
    public init(
        _ message: String, code: TableErrorCode = Kind.usualCode, table: String? = nil, column: String? = nil,
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

/// A kind of ``CRUDError``.
public protocol CRUDErrorKind {
    /// The default code.
    static var usualCode: TableErrorCode { get }
}

/// A row that cannot be decoded as the requested type.
public typealias CRUDDecoderError = CRUDError<DecoderErrorKind>

/// The kind of ``CRUDDecoderError``.
public enum DecoderErrorKind: CRUDErrorKind {
    /// The default code.
    public static let usualCode = TableErrorCode.type
}

/// An item that cannot be encoded as a row.
public typealias CRUDEncoderError = CRUDError<EncoderErrorKind>

/// The kind of ``CRUDEncoderError``.
public enum EncoderErrorKind: CRUDErrorKind {
    /// The default code.
    public static let usualCode = TableErrorCode.type
}

/// A statement that failed while it ran.
public typealias CRUDSQLExeError = CRUDError<ExecutionErrorKind>

/// The kind of ``CRUDSQLExeError``.
public enum ExecutionErrorKind: CRUDErrorKind {
    /// The default code.
    public static let usualCode = TableErrorCode.engine
}

/// An invalid statement: its key paths, types, policies or SQL text.
public typealias CRUDSQLGenError = CRUDError<StatementErrorKind>

/// The kind of ``CRUDSQLGenError``.
public enum StatementErrorKind: CRUDErrorKind {
    /// The default code.
    public static let usualCode = TableErrorCode.unsupported
}
