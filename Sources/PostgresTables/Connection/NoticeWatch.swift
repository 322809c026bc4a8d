#if PostgreSQL
import CPostgreSQL

/// Receives the server's notices. It drops most of them, which libpq would print.
///
/// One matters: if a commit's wait for its synchronous standbys is cancelled, the server reports success with the
/// warning that a standby may lack the transaction. A failover may then lose it.
final class NoticeWatch {
    private var hasDoubt = false

    /// Starts to receive notices. The watch must live as long as the connection.
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
        // The language of the message varies; the name of the function does not.
        guard let function = PQresultErrorField(notice, DiagnosticField.sourceFunction.rawValue) else { return }
        if String(cString: function) == "SyncRepWaitForLSN" { hasDoubt = true }
    }

    /// Whether the warning came since the last call.
    func takeDoubt() -> Bool {
        defer { hasDoubt = false }
        return hasDoubt
    }
}
#endif
