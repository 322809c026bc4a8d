import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A port that leads to servers far away: every answer arrives late.
public final class LongWay: Sendable {
    /// The port to connect to.
    public let port: Int
    private let listener: Int32

    /// - Parameters:
    ///   - servers: the ports of the servers. The first connection leads to the first one, and so on; the last one takes
    ///     the rest.
    ///   - delay: how much later each answer arrives.
    public init(to servers: Int..., delay: Duration) throws {
        (listener, port) = try FreePort.bound()
        guard listen(listener, 16) == 0 else { throw ServerFailure("Port \(port) does not listen.") }
        let listener = listener
        Thread.detachNewThread {
            var left = servers[...]
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                let next = left.count > 1 ? left.removeFirst() : left.first
                guard let next, let server = FreePort.connection(to: next) else {
                    close(client)
                    continue
                }
                let pair = SocketPair(client, server)
                Thread.detachNewThread { pair.pass(from: client, to: server, after: .zero) }
                Thread.detachNewThread { pair.pass(from: server, to: client, after: delay) }
            }
        }
    }

    /// Accepts no more connections. Those that there are stay.
    public func end() { shutdown(listener, Int32(SHUT_RDWR)) }

    deinit { close(listener) }
}

/// Two sockets whose bytes go to each other. They are closed when both directions have ended.
private final class SocketPair: Sendable {
    private let first, second: Int32

    init(_ first: Int32, _ second: Int32) { (self.first, self.second) = (first, second) }

    deinit {
        close(first)
        close(second)
    }

    func pass(from source: Int32, to target: Int32, after delay: Duration) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let capacity = bytes.count
        while true {
            let count = unsafe recv(source, &bytes, capacity, 0)
            if count <= 0 { break }
            Thread.sleep(forTimeInterval: delay / .seconds(1))
            if !deliver(bytes[..<count], to: target) { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    private func deliver(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
        var left = bytes
        while !left.isEmpty {
            let count = unsafe left.withUnsafeBytes { bytes in
                unsafe send(target, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            left = left.dropFirst(count)
        }
        return true
    }
}
