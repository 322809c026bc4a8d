#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// TCP's questions to a host that is silent.
///
/// Routers forget connections that rest, many after five minutes, and the system's own first question comes after two
/// hours: an answer or a lock's end would be lost without a word.
package enum Keepalive {
    /// The silence before the first question, in seconds.
    package static let idle: Int32 = 60
    /// The time between two questions, in seconds.
    package static let interval: Int32 = 10
    /// The number of questions without an answer that end a connection.
    package static let count: Int32 = 6

    /// Applies them to a socket. A local socket takes none.
    package static func apply(to socket: Int32) {
        set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
        #if canImport(Glibc)
        set(socket, tcp, TCP_KEEPIDLE, idle)
        #else
        set(socket, tcp, TCP_KEEPALIVE, idle)
        #endif
        set(socket, tcp, TCP_KEEPINTVL, interval)
        set(socket, tcp, TCP_KEEPCNT, count)
    }

    private static let tcp = Int32(IPPROTO_TCP)

    private static func set(_ socket: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
