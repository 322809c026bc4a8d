#if MySQL
import TableSQL

/// The address of one server.
struct MySQLAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address. `localhost` without a port means the library's default socket.
    var host: String
    var port: UInt32
    /// The path of a socket, which replaces host and port.
    var socket: String?
    /// The numeric address of the host; nil if the library looks it up.
    var number: String?

    /// The host to which the library connects.
    var target: String { number ?? host }

    var description: String { socket ?? "\(host.contains(":") ? "[\(host)]" : host):\(port == 0 ? 3306 : port)" }
}

extension MySQLAddress: ServerAddress {
    var name: String? { socket != nil || host == "localhost" && port == 0 ? nil : host }

    func at(_ number: String) -> MySQLAddress { MySQLAddress(host: host, port: port, socket: nil, number: number) }

    func isAddress(of server: MySQLAddress) -> Bool {
        (server.host, server.port, server.socket) == (host, port, socket) && [nil, number].contains(server.number)
    }
}
#endif
