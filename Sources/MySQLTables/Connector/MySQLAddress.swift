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

    /// Whether this is one of a server's addresses.
    func isAddress(of server: MySQLAddress) -> Bool {
        (server.host, server.port, server.socket) == (host, port, socket) && [nil, number].contains(server.number)
    }

    /// The addresses of each server; its own where it has no name to be looked up.
    static func resolved(_ servers: [MySQLAddress], within limit: Duration) -> [Result<
        [MySQLAddress], SQLConnectionError
    >] {
        func hasName(_ server: MySQLAddress) -> Bool {
            server.socket == nil && !(server.host == "localhost" && server.port == 0)
        }
        var answers = HostNames.addresses(of: servers.filter(hasName).map(\.host), within: limit)[...]
        return servers.map { server in
            guard hasName(server), let answer = answers.popFirst() else { return .success([server]) }
            return answer.map { numbers in
                numbers.map { MySQLAddress(host: server.host, port: server.port, socket: nil, number: $0) }
            }
        }
    }

    var description: String { socket ?? "\(host.contains(":") ? "[\(host)]" : host):\(port == 0 ? 3306 : port)" }
}
#endif
