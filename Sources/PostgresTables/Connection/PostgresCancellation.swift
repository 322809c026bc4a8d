#if PostgreSQL
import CPostgreSQL

/// Cancels the statements of a connection, from any thread.
final class PostgresCancelKey: @unchecked Sendable {
    // `@unchecked Sendable`: libpq allows PQcancel on any thread, and the key is immutable.
    private let key: OpaquePointer?

    init(_ connection: OpaquePointer) { key = PQgetCancel(connection) }

    deinit { PQfreeCancel(key) }

    /// Asks the server to cancel the running statement. Blocks.
    func cancel() {
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(key, &message, Int32(message.count))
    }
}
#endif
