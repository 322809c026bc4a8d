#if MySQL
import CMariaDB
import CRUDKit
import Foundation
import TableKit
import TableSQL

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Owns a libmariadb connection in non-blocking mode, and waits for its socket with a limit.
///
/// The library runs each call on its own stack and returns whenever the call would block.
final class MySQLLink {
    /// Nil after ``close()``.
    private(set) var raw: UnsafeMutablePointer<MYSQL>?
    /// Whether the connection must not be used again.
    private(set) var isBroken = false

    /// The stack for running calls. Name look-ups need more than the library's default of 60 KiB.
    private static let stackBytes = 512 << 10

    private static let library: Bool = mysql_server_init(0, nil, nil) == 0

    /// - Throws: ``SQLConnectionError`` if memory is exhausted.
    init() throws {
        // libmariadb makes the socket itself. What the process prints must not go to the server.
        StandardDescriptors.occupy()
        guard Self.library, let raw = mysql_init(nil) else {
            throw SQLConnectionError(.noConnection, code: .unavailable, "libmariadb could not be set up.")
        }
        self.raw = raw
        var stack = Self.stackBytes
        mysql_options(raw, MYSQL_OPT_NONBLOCK, &stack)
    }

    deinit { close() }

    func close() {
        if let raw { mysql_close(raw) }
        raw = nil
        isBroken = true
    }

    /// Marks the connection as broken and aborts it: the next statement would read the answer of this one.
    func giveUp() {
        if let raw, !isBroken { mariadb_cancel(raw) }
        isBroken = true
    }

    var isUsable: Bool { !isBroken && raw != nil }

    /// The library's last error message.
    var message: String { raw.map { String(cString: mysql_error($0)) } ?? "The connection is closed." }

    var number: UInt32 { raw.map { mysql_errno($0) } ?? 2006 }

    /// Makes the socket non-blocking. The library does so for plain sockets only; OpenSSL would block within a
    /// non-blocking call. During the login the library sometimes makes the socket blocking again, so time-outs bound
    /// its reads and writes.
    func unblock() {
        guard let raw else { return }
        let socket = mysql_get_socket(raw)
        let flags = fcntl(socket, F_GETFL)
        guard flags >= 0, flags & O_NONBLOCK == 0 else { return }
        var patience = timeval(tv_sec: 0, tv_usec: 100_000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        _ = fcntl(socket, F_SETFL, flags | O_NONBLOCK)
    }

    // MARK: Calls

    /// Runs a non-blocking call of the library to its end.
    /// - Parameters:
    ///   - deadline: extended whenever data arrives.
    ///   - start: starts the call; returns the events it waits for, 0 at its end.
    ///   - proceed: continues after events.
    /// - Throws: ``AnswerMissing``.
    func call(_ deadline: inout AnswerDeadline, _ start: () -> Int32, _ proceed: (Int32) -> Int32) throws {
        var wanted = start()
        while wanted != 0 {
            let events: Int16
            do { events = try Poll.wait(mysql_get_socket(raw), MySQLEvents.poll(wanted), &deadline) } catch {
                // At once: closing prepared statements would write to the socket and block.
                giveUp()
                throw error
            }
            if events & Int16(POLLIN | POLLERR | POLLHUP) != 0 { deadline.extend() }
            wanted = proceed(MySQLEvents.library(events, wanted: wanted))
        }
    }
}

/// Converts events between the library and `poll(2)`.
enum MySQLEvents {
    static func poll(_ wanted: Int32) -> Int16 {
        var events: Int32 = 0
        if wanted & MYSQL_WAIT_READ != 0 { events |= Int32(POLLIN) }
        if wanted & MYSQL_WAIT_WRITE != 0 { events |= Int32(POLLOUT) }
        if wanted & MYSQL_WAIT_EXCEPT != 0 { events |= Int32(POLLPRI) }
        return Int16(events)
    }

    static func library(_ events: Int16, wanted: Int32) -> Int32 {
        let events = Int32(events)
        // The call itself finds the error of the socket.
        if events & Int32(POLLERR | POLLHUP | POLLNVAL) != 0 { return wanted & ~MYSQL_WAIT_TIMEOUT }
        var found: Int32 = 0
        if events & Int32(POLLIN) != 0 { found |= MYSQL_WAIT_READ }
        if events & Int32(POLLOUT) != 0 { found |= MYSQL_WAIT_WRITE }
        if events & Int32(POLLPRI) != 0 { found |= MYSQL_WAIT_EXCEPT }
        return found
    }
}
#endif
