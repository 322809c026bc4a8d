/// Borrowed bytes: a key or a value. Good only as long as whoever lent them says.
typealias Bytes = UnsafeRawBufferPointer

/// An open database of one of the engines under test.
///
/// Every workload is generic over it and specialised for each engine: no engine pays for dynamic dispatch, or all would
/// pay the same.
protocol Engine: AnyObject, Sendable {
    associatedtype Session: EngineSession

    /// Whether its settings depend on the number of threads, so that it has to be opened anew where that changes.
    static var isCutToThreads: Bool { get }

    /// Name and version of the library, as it tells itself.
    static var version: String { get }

    /// Where the library comes from, and whether it was built for release.
    static var build: LibraryBuild { get }

    /// The options that ``init(directory:settings:)`` sets, in the engine's own words.
    static func describe(_ settings: EngineSettings) -> String

    /// Whether a file in the database's directory holds changes that were not merged yet: a log, or large values beside it.
    /// Nil of an engine that has no such file, or that cuts it by itself.
    static func isLog(_ name: String) -> Bool?

    /// Whether a file in the database's directory is what becomes of a log.
    static func isTable(_ name: String) -> Bool

    /// Opens the database in a directory that exists, or makes one there.
    init(directory: String, settings: EngineSettings) throws

    /// A handle for one thread.
    func makeSession() throws -> Session

    /// Merges everything into the shape that reads best, as the engine's own tool for that does. No session is alive.
    func compact() throws

    /// Closes in good order. No session is alive.
    func close() throws
}

extension Engine {
    static var isCutToThreads: Bool { false }

    static func isLog(_ name: String) -> Bool? { nil }

    static func isTable(_ name: String) -> Bool { false }
}

/// What one thread does with an engine. All operations take the fastest way that the engine's C or Swift interface
/// offers to a careful user, with handles that are made once and used again.
protocol EngineSession: AnyObject {
    /// Gives `key` the value `value`, in a transaction of its own.
    func put(_ key: Bytes, _ value: Bytes) throws

    /// Removes `key`, in a transaction of its own.
    func delete(_ key: Bytes) throws

    /// Puts `count` entries in one transaction.
    /// - Parameter entry: makes the entry of a number in `0..<count`; its bytes are good until the next call.
    func putAll(_ count: Int, _ entry: (Int) -> (key: Bytes, value: Bytes)) throws

    /// Looks `key` up, which is the key of `index`, and counts its value, if there is one: a copy of it, in memory that the
    /// caller owns, not the engine.
    func get(_ key: Bytes, of index: Int, _ tally: inout Tally) throws

    /// Shows a visitor key and value, where the engine has them, of up to `limit` entries, on a consistent view.
    ///
    /// A visitor, not a closure: what it does becomes part of an engine's loop, and none is timed with calls that another
    /// needs more of.
    /// - Parameters:
    ///   - from: the first key of a forward scan; nil: the beginning, or the end where `reverse`.
    ///   - reverse: whether to walk from the end; then `from` is nil.
    func scan<V: EntryVisitor>(from: Bytes?, reverse: Bool, limit: Int, _ visitor: inout V) throws

    /// Runs `body` in a serializable transaction and commits it: again where there is a conflict, up to
    /// ``TransactionAttempts/limit`` times. The database was opened with ``EngineSettings/hasTransactions``.
    func transact<B: TransactionBody>(_ body: B) throws
}

extension EngineSession {
    func transact<B: TransactionBody>(_ body: B) throws { throw BenchmarkError("has no transactions") }
}

/// Looks at the entries of a scan.
protocol EntryVisitor {
    /// Looks at an entry, whose key and value are good until it returns.
    mutating func visit(_ key: Bytes, _ value: Bytes)
}
