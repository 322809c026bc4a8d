#if PostgreSQL
import CPostgreSQL
import Foundation
import TableKit
import TableSQL

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Owns a libpq connection in non-blocking pipeline mode, and waits for its socket with a limit.
///
/// Pipeline mode stays on, so one statement and a thousand take the same path: statements, a sync, results.
final class PostgresLink {
    /// Nil after ``close()``.
    private(set) var raw: OpaquePointer?
    /// Whether the connection must not be used again.
    private(set) var isBroken = false
    /// Whether OpenSSL or GSSAPI may hold bytes of which `poll(2)` knows nothing.
    private let isEncrypted: Bool
    private let notices = NoticeWatch()
    /// A result that was read but not handled.
    private var pending: OpaquePointer?

    /// Takes over a connection after its login.
    init(_ raw: OpaquePointer) throws {
        self.raw = raw
        isEncrypted = PQsslInUse(raw) == 1 || PQgssEncInUse(raw) == 1
        PQsetErrorVerbosity(raw, PQERRORS_DEFAULT)
        notices.install(raw)
        guard PQsetnonblocking(raw, 1) == 0, PQenterPipelineMode(raw) == 1 else {
            throw SQLConnectionError(.noConnection, code: .unavailable, Self.message(raw))
        }
    }

    deinit { close() }

    func close() {
        if let pending { PQclear(pending) }
        pending = nil
        if let raw { PQfinish(raw) }
        raw = nil
        isBroken = true
    }

    /// Marks the connection as broken: the next statement would read the answer of this one.
    func giveUp() { isBroken = true }

    var isUsable: Bool { !isBroken && raw != nil && PQstatus(raw) == CONNECTION_OK }
    var isInTransaction: Bool {
        let status = PQtransactionStatus(raw)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }
    /// Whether the server has answered everything, and no transaction is open.
    var isIdle: Bool { PQtransactionStatus(raw) == PQTRANS_IDLE }
    var isInFailedTransaction: Bool { PQtransactionStatus(raw) == PQTRANS_INERROR }
    var message: String { Self.message(raw) }

    /// A setting that the server reports unasked.
    func parameter(_ name: String) -> String? { PQparameterStatus(raw, name).map { String(cString: $0) } }

    /// libpq's last error message, in one line.
    static func message(_ raw: OpaquePointer?) -> String {
        guard let text = PQerrorMessage(raw) else { return "The connection is closed." }
        return oneLine(text)
    }

    /// A message of libpq as one line.
    static func oneLine(_ text: UnsafePointer<CChar>) -> String {
        String(cString: text).trimmingCharacters(in: .whitespacesAndNewlines)
            .replacing("\n", with: " ").replacing("\t", with: " ")
    }

    /// Whether, since the last call, a commit ended its wait for synchronous standbys early.
    func takeDoubtAboutReplication() -> Bool { notices.takeDoubt() }

    /// Writes as much of libpq's buffer as the socket takes. The next result waits for the rest.
    func flush() { PQflush(raw) }

    // MARK: Results

    /// Makes ``nextResult(_:)`` return this result again.
    func putBack(_ result: consuming PostgresResult) { pending = result.take() }

    /// Waits for the next result; nil between the results of two statements.
    /// - Parameter deadline: extended whenever data arrives.
    /// - Throws: ``AnswerMissing``.
    func nextResult(_ deadline: inout AnswerDeadline) throws -> PostgresResult? {
        if let pending {
            self.pending = nil
            return PostgresResult(pending)
        }
        while true {
            let flushed = PQflush(raw)
            if isComplete { break }
            if isEncrypted {
                drain()
                if isComplete { break }
            }
            let events = flushed == 1 ? POLLIN | POLLOUT : POLLIN
            if try Poll.wait(PQsocket(raw), Int16(events), &deadline) & Int16(POLLIN | POLLERR | POLLHUP) != 0 {
                PQconsumeInput(raw)
                deadline.extend()
            }
        }
        return PQgetResult(raw).map { PostgresResult($0) }
    }

    /// Whether the next result needs no more data.
    private var isComplete: Bool { PQisBusy(raw) == 0 || PQstatus(raw) == CONNECTION_BAD }

    /// Takes what OpenSSL or GSSAPI has decrypted. libpq leaves a part of GSSAPI's packet there, and some versions a part
    /// of OpenSSL's record, where it does not fit into their buffer. The first call takes the rest; it could leave
    /// another part only by filling the buffer anew, which it has doubled.
    private func drain() {
        for _ in 0..<2 where !isComplete { PQconsumeInput(raw) }
    }
}
#endif
