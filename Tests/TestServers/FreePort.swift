import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ports of the loopback.
public enum FreePort {
    /// A port on which nobody listens.
    public static func find() throws -> Int {
        let (socket, port) = try bound()
        close(socket)
        return port
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
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        guard result else {
            close(listener)
            throw ServerFailure("There is no free port.")
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
