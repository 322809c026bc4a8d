import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A port that leads to servers far away: every answer arrives late, what is sent may trickle, and connections may be
/// lost.
public final class LongWay: Sendable {
    /// The port to connect to.
    public let port: Int
    private let listener: Int32
    private let pairs = SocketPairs()

    /// - Parameters:
    ///   - servers: the ports of the servers. The first connection leads to the first one, and so on; the last one takes
    ///     the rest.
    ///   - delay: how much later each answer arrives.
    ///   - rate: the bytes a second that each client can send; nil for any number.
    ///   - change: changes the bytes of each answer.
    public init(
        to servers: Int..., delay: Duration = .zero, rate: Int? = nil,
        changing change: @escaping @Sendable (inout [UInt8]) -> Void = { _ in }
    ) throws {
        (listener, port) = try FreePort.bound()
        if rate != nil {
            // Connections inherit it. What the system itself holds has arrived for the client.
            var room: Int32 = 1 << 16
            unsafe setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        }
        guard listen(listener, 16) == 0 else { throw ServerFailure("Port \(port) does not listen.") }
        let (listener, pairs) = (listener, pairs)
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
                pairs.all.withLock { $0[FreePort.number(of: server)] = pair }
                Thread.detachNewThread { pair.pass(from: client, to: server, after: .zero, rate: rate) }
                Thread.detachNewThread { pair.pass(from: server, to: client, after: delay, changing: change) }
            }
        }
    }

    /// Accepts no more connections. Those that there are stay.
    public func end() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Loses a connection: nothing passes any more, and neither side hears of the other's end.
    /// - Parameter source: the port from which the server sees the connection come.
    public func lose(_ source: Int) { pairs.all.withLock { $0[source] }?.lose() }

    /// Cuts a connection: both sides see it end.
    /// - Parameter source: the port from which the server sees the connection come.
    public func cut(_ source: Int) { pairs.all.withLock { $0[source] }?.cut() }

    deinit { close(listener) }
}

/// The connections of a way, by the ports from which the server sees them come.
private final class SocketPairs: Sendable {
    let all = Mutex<[Int: SocketPair]>([:])
}

/// Two sockets whose bytes go to each other. They are closed with the way to which they belong.
private final class SocketPair: Sendable {
    private let first, second: Int32
    private let isLost = Atomic(false)

    init(_ first: Int32, _ second: Int32) { (self.first, self.second) = (first, second) }

    deinit {
        close(first)
        close(second)
    }

    func lose() { isLost.store(true, ordering: .relaxed) }

    func cut() { for socket in [first, second] { shutdown(socket, Int32(SHUT_RDWR)) } }

    /// Passes bytes until either socket ends.
    /// - Parameter rate: the most bytes a second.
    func pass(
        from source: Int32, to target: Int32, after delay: Duration, rate: Int? = nil,
        changing change: (inout [UInt8]) -> Void = { _ in }
    ) {
        let parts = 50
        var bytes = [UInt8](repeating: 0, count: rate.map { $0 / parts } ?? 1 << 16)
        let capacity = bytes.count
        while true {
            let count = unsafe recv(source, &bytes, capacity, 0)
            if count <= 0 { break }
            Thread.sleep(forTimeInterval: delay / .seconds(1))
            if rate != nil, count == capacity { Thread.sleep(forTimeInterval: 1 / Double(parts)) }
            if isLost.load(ordering: .relaxed) { continue }
            var received = Array(bytes[..<count])
            change(&received)
            if !deliver(received[...], to: target) { break }
        }
        if isLost.load(ordering: .relaxed) { return }
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
