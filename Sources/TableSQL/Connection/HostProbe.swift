#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Asks, by a login on another connection, whether the server of a silent connection still answers.
package enum HostProbe {
    /// The errors of a connection to a server that is gone, or to which no way leads. Without a way, the silent
    /// connection is gone as well.
    private static let losses = [
        ECONNREFUSED, ECONNRESET, EHOSTUNREACH, EHOSTDOWN, ETIMEDOUT, ENETUNREACH, ENETDOWN,
    ]
    /// What reading from a socket says that was never connected: the queue of a frozen server on this machine is full.
    private static let absences = [EINVAL, ENOTCONN]

    /// Whether the server has sent anything, a greeting or a refusal. Blocks.
    ///
    /// False only if its host refuses or resets the connection, no way leads there, or nothing comes. Other failures
    /// show nothing about the server: a name that is not found, a certificate, a key file, too many open files.
    /// - Parameters:
    ///   - login: has just begun. It goes on to its end: MariaDB locks hosts out whose logins break off.
    ///   - limit: the longest silence before the first byte, and the longest time for all that follow.
    package static func answers(_ login: some HostLogin, within limit: Duration) -> Bool {
        var isHeard = false
        var deadline = Moment.now + limit
        while case .waiting = login.state, let interest = login.interest {
            let rest = deadline - .now
            guard rest > .zero else { return isHeard }
            var entries = [pollfd(fd: interest.descriptor, events: interest.events, revents: 0)]
            Poll.wait(&entries, rest)
            if entries[0].revents == 0 { continue }
            var byte: UInt8 = 0
            switch unsafe recv(interest.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) {
            case 1:
                // Only once: a server could send a byte at a time, for ever.
                if !isHeard { deadline = Moment.now + limit }
                isHeard = true
            case -1 where (losses + absences).contains(errno): return isHeard
            default: break
            }
            login.advance(entries[0].revents)
        }
        guard !isHeard, case .failed(let error) = login.state, error.serverCode == nil else { return true }
        // Some hosts refuse at once. libpq writes the reason, libmariadb its number. A missing file may also be another
        // one than the server's local socket.
        let isOfLocalSocket = ["on socket", "through socket", "domain socket"].contains(where: error.message.contains)
        return !(losses + (isOfLocalSocket ? [ENOENT] : [])).contains {
            error.message.contains(unsafe String(cString: strerror($0))) || error.message.contains("(\($0))")
        }
    }
}
