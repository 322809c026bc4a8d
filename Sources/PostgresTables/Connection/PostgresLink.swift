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

/// A connection of libpq in non-blocking pipeline mode: owns it, and waits for its socket with a limit.
///
/// The pipeline mode stays on, so that one statement and a thousand go the same way: statements, a sync, results.
final class PostgresLink {
    /// Nil after the end.
    private(set) var raw: OpaquePointer?
    /// Whether the connection is of no more use.
    private(set) var isBroken = false
    private let notices = NoticeWatch()

    /// Takes over a connection whose login is done.
    init(_ raw: OpaquePointer) throws {
        self.raw = raw
        PQsetErrorVerbosity(raw, PQERRORS_DEFAULT)
        notices.install(raw)
        guard PQsetnonblocking(raw, 1) == 0, PQenterPipelineMode(raw) == 1 else {
            throw SQLConnectionError(.noConnection, code: .unavailable, Self.message(raw))
        }
    }

    deinit { close() }

    func close() {
        if let raw { PQfinish(raw) }
        raw = nil
        isBroken = true
    }

    /// Gives the connection up: the next statement would meet the answer of this one.
    func giveUp() { isBroken = true }

    var isUsable: Bool { !isBroken && raw != nil && PQstatus(raw) == CONNECTION_OK }
    var isInTransaction: Bool {
        let status = PQtransactionStatus(raw)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }
    var isInFailedTransaction: Bool { PQtransactionStatus(raw) == PQTRANS_INERROR }
    var message: String { Self.message(raw) }

    /// A setting that the server reports by itself.
    func parameter(_ name: String) -> String? { PQparameterStatus(raw, name).map { String(cString: $0) } }

    /// libpq's words on its last failure, in one line.
    static func message(_ raw: OpaquePointer?) -> String {
        guard let text = PQerrorMessage(raw) else { return "The connection is closed." }
        return String(cString: text).trimmingCharacters(in: .whitespacesAndNewlines)
            .replacing("\n", with: " ").replacing("\t", with: " ")
    }

    /// Whether the server has said, since the last call, that a commit was not awaited by its standbys.
    func takeDoubtAboutReplication() -> Bool { notices.takeDoubt() }

    /// Has libpq write what it holds, as far as the socket takes it. The next result waits for the rest.
    func flush() { PQflush(raw) }

    // MARK: Results

    /// The next result; nil between the results of two statements.
    /// - Parameter deadline: asked for again while the server is silent; extended whenever it says something.
    /// - Throws: ``LinkFailure``.
    func nextResult(_ deadline: inout AnswerDeadline) throws -> PostgresResult? {
        while true {
            let flushed = PQflush(raw)
            if PQisBusy(raw) == 0 || PQstatus(raw) == CONNECTION_BAD { break }
            let events = flushed == 1 ? POLLIN | POLLOUT : POLLIN
            if try Poll.wait(PQsocket(raw), Int16(events), &deadline) & Int16(POLLIN | POLLERR | POLLHUP) != 0 {
                PQconsumeInput(raw)
                deadline.extend()
            }
        }
        return PQgetResult(raw).map { PostgresResult($0) }
    }
}
#endif
