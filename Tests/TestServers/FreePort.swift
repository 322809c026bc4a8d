import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ports of the loopback.
public enum FreePort {
    /// Below the ports that Linux and macOS give to outgoing connections: one of those may be in use by the time at which
    /// a server starts on it.
    private static let candidates = 10_000..<32_768

    /// The ports that ``find()`` has returned.
    private static let given = Mutex<Set<Int>>([])

    /// A port on which nobody listens. No two calls in one process return the same.
    public static func find() throws -> Int {
        for _ in 0..<1000 {
            let port = Int.random(in: candidates)
            guard let (socket, _) = bound(to: port) else { continue }
            close(socket)
            if given.withLock({ $0.insert(port).inserted }) { return port }
        }
        throw ServerFailure("There is no free port.")
    }

    /// Whether a server on a port says something to who connects, as MariaDB does. A process that was killed may still listen for
    /// a moment.
    public static func greets(_ port: Int) -> Bool {
        guard let client = connection(to: port) else { return false }
        defer { close(client) }
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        unsafe setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var byte: UInt8 = 0
        return unsafe recv(client, &byte, 1, 0) == 1
    }

    /// A socket with a port of its own, which does not listen yet.
    static func bound() throws -> (socket: Int32, port: Int) {
        guard let bound = bound(to: 0) else { throw ServerFailure("There is no free port.") }
        return bound
    }

    /// A socket with a port, which does not listen yet; nil if the port is in use.
    /// - Parameter port: 0 for any.
    private static func bound(to port: Int) -> (socket: Int32, port: Int)? {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: UInt16(port))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        guard result else {
            close(listener)
            return nil
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// The port at this end of a socket.
    static func number(of socket: Int32) -> Int {
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe getsockname(socket, address, &length)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// A socket that is connected to a port; nil if nobody listens there.
    static func connection(to port: Int) -> Int32? {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: UInt16(port))
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(client, $0, length) == 0 }
        }
        if isConnected { return client }
        close(client)
        return nil
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
