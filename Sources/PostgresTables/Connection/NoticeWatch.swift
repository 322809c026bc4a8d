#if PostgreSQL
import CPostgreSQL

/// Listens to the server's notices. Most are left out; libpq would print them.
///
/// One matters: where the wait of a commit for its synchronous standbys is cancelled, the server reports success and
/// warns that a standby may not have the transaction. After a failover the transaction may be gone.
final class NoticeWatch {
    private var hasDoubt = false

    /// Begins to listen. The watch must live as long as the connection.
    func install(_ connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<NoticeWatch>.fromOpaque(context).takeUnretainedValue().hear(result)
            }, context)
    }

    private func hear(_ notice: OpaquePointer) {
        // The message may be in any language; the function's name is not.
        guard let function = PQresultErrorField(notice, DiagnosticField.sourceFunction.rawValue) else { return }
        if String(cString: function) == "SyncRepWaitForLSN" { hasDoubt = true }
    }

    /// Whether such a warning came since the last call.
    func takeDoubt() -> Bool {
        defer { hasDoubt = false }
        return hasDoubt
    }
}
#endif
