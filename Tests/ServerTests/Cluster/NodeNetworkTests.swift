#if (PostgreSQL || MySQL) && os(Linux)
import Foundation
import Glibc
import TestServers
import Testing

/// The network of the tests' own loses what it is told to lose, and nothing else.
@Suite(.enabled(if: NodeNetwork.absence == nil, Comment(rawValue: NodeNetwork.absence ?? "")))
struct NodeNetworkTests {
    private static let port: UInt16 = 7000

    /// A socket for datagrams on a machine, or here. It stays there when the thread that has made it is gone.
    private func datagrams(_ network: NodeNetwork, on machine: Int?) throws -> Int32 {
        try Background {
            if let machine {
                let space = open("/var/run/netns/\(network.machine(machine))", O_RDONLY)
                defer { close(space) }
                guard let function = dlsym(nil, "setns") else { throw ServerFailure("There is no setns.") }
                // Swift does not see it: glibc declares it for `_GNU_SOURCE` alone. The second word is `CLONE_NEWNET`.
                let setns = unsafeBitCast(function, to: (@convention(c) (Int32, Int32) -> Int32).self)
                if setns(space, 0x4000_0000) != 0 { throw ServerFailure("setns: \(errno)") }
            }
            let result = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            var patience = timeval(tv_sec: 0, tv_usec: 100_000)
            setsockopt(result, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            let failed = self.withAddress(machine.map(network.address) ?? "0.0.0.0") { bind(result, $0, $1) }
            if failed != 0 { throw ServerFailure("bind: \(errno)") }
            return result
        }.get()
    }

    private func withAddress<R>(_ host: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        address.sin_port = Self.port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private func send(_ number: UInt8, from socket: Int32, to host: String) {
        withUnsafeBytes(of: number) { bytes in
            _ = withAddress(host) { sendto(socket, bytes.baseAddress, 1, 0, $0, $1) }
        }
    }

    /// The next datagram that comes; nil where none comes in a moment.
    private func receive(_ socket: Int32) -> UInt8? {
        var number: UInt8 = 0
        return recv(socket, &number, 1, 0) == 1 ? number : nil
    }

    /// Sends until something comes. On one way, datagrams keep their order: what was sent before it is lost.
    private func first(after number: UInt8, from source: Int32, to host: String, at target: Int32) throws -> UInt8? {
        var found: UInt8?
        try waitUntil("a datagram comes") {
            send(number, from: source, to: host)
            found = receive(target)
            return found != nil
        }
        while receive(target) != nil {}
        return found
    }

    @Test("Packets are lost in the direction that was named, and come again afterwards") func directions() async throws
    {
        try await onThread {
            let network = try NodeNetwork(machines: 2)
            defer { network.remove() }
            let sockets = try [0, 1, nil].map { try datagrams(network, on: $0) }
            defer { for socket in sockets { close(socket) } }
            let (left, right, outside) = (sockets[0], sockets[1], sockets[2])
            #expect(try first(after: 1, from: left, to: network.address(1), at: right) == 1)
            try network.lose(from: 0, to: [1])
            send(2, from: left, to: network.address(1))
            #expect(try first(after: 3, from: right, to: network.address(0), at: left) == 3)
            #expect(try first(after: 4, from: outside, to: network.address(1), at: right) == 4)
            #expect(try first(after: 5, from: outside, to: network.address(0), at: left) == 5)
            try network.heal()
            #expect(try first(after: 6, from: left, to: network.address(1), at: right) == 6)
            try network.unplug(1)
            send(7, from: left, to: network.address(1))
            send(8, from: outside, to: network.address(1))
            try network.plug(1)
            #expect(try first(after: 9, from: left, to: network.address(1), at: right) == 9)
            #expect(try first(after: 10, from: right, to: network.address(0), at: left) == 10)
        }
    }
}
#endif
