#if PostgreSQL
import CPostgreSQL

/// What libpq needs to cancel the statements of a connection; it may do so on any thread.
final class PostgresCancelKey: @unchecked Sendable {
    // `@unchecked Sendable`: libpq allows PQcancel on any thread, and nothing changes after the initializer.
    private let key: OpaquePointer?

    init(_ connection: OpaquePointer) { key = PQgetCancel(connection) }

    deinit { PQfreeCancel(key) }

    /// Asks the server to cancel what runs. Blocks.
    func cancel() {
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(key, &message, Int32(message.count))
    }
}
#endif
