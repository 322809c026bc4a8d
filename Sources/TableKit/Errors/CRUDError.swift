/// An error of tables, of one of four kinds, which `catch` tells apart by type.
///
/// Named by its kinds: ``CRUDDecoderError``, ``CRUDEncoderError``, ``CRUDSQLExeError``, ``CRUDSQLGenError``.
public struct CRUDError<Kind: CRUDErrorKind>: TableError {
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
    /// The code of errors that are given none.
    static var usualCode: TableErrorCode { get }
}

/// A row that does not decode as the type asked for.
public typealias CRUDDecoderError = CRUDError<DecoderErrorKind>

/// The kind of ``CRUDDecoderError``.
public enum DecoderErrorKind: CRUDErrorKind {
    /// That of most.
    public static let usualCode = TableErrorCode.type
}

/// An item that does not encode as a row.
public typealias CRUDEncoderError = CRUDError<EncoderErrorKind>

/// The kind of ``CRUDEncoderError``.
public enum EncoderErrorKind: CRUDErrorKind {
    /// That of most.
    public static let usualCode = TableErrorCode.type
}

/// A statement that failed while it ran.
public typealias CRUDSQLExeError = CRUDError<ExecutionErrorKind>

/// The kind of ``CRUDSQLExeError``.
public enum ExecutionErrorKind: CRUDErrorKind {
    /// That of most.
    public static let usualCode = TableErrorCode.engine
}

/// A statement that cannot be made: of key paths, types, policies or SQL text.
public typealias CRUDSQLGenError = CRUDError<StatementErrorKind>

/// The kind of ``CRUDSQLGenError``.
public enum StatementErrorKind: CRUDErrorKind {
    /// That of most.
    public static let usualCode = TableErrorCode.unsupported
}
