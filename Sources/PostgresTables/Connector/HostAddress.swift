#if PostgreSQL
import CPostgreSQL
import TableSQL

/// The address of one server, in libpq's notation.
struct HostAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, an address, or the directory of a socket; nil for libpq's default.
    var host: String?
    /// The address of ``host``, if its name must not be looked up.
    var address: String?
    var port: String

    var description: String { "\(host ?? address ?? "localhost"):\(port)" }

    /// The keywords that make libpq connect to this address.
    var settings: [(String, String)] {
        [("host", host ?? ""), ("hostaddr", address ?? ""), ("port", port)]
    }

    /// Checks what libpq checks at the login only, and without repeating it: a sign of a password that is not encoded
    /// shifts the password into another part of a URL.
    /// - Parameter isComplete: whether the service file and the environment, which may name hosts, are included.
    /// - Throws: ``SQLConnectionError`` with code `argument`.
    static func check(hosts: String?, addresses: String?, ports: String?, isComplete: Bool) throws {
        let (hosts, addresses, ports) = (list(hosts), list(addresses), list(ports))
        // One that begins with @ is an abstract socket.
        if hosts.contains(where: { $0.dropFirst().contains("@") }) {
            throw LoginSettings.refusal(
                "A host has an @. Encode signs such as / @ : in a URL's password (%2F %40 %3A).")
        }
        if !hosts.isEmpty, !addresses.isEmpty, hosts.count != addresses.count {
            throw LoginSettings.refusal("There are \(addresses.count) addresses for \(hosts.count) hosts.")
        }
        guard ports.allSatisfy({ $0.isEmpty || (UInt16($0) ?? 0) > 0 }) else {
            throw LoginSettings.refusal(
                "A port is a number from 1 to 65535. Encode signs such as / @ : in a URL's password.")
        }
        let servers = max(hosts.count, addresses.count, isComplete ? 1 : 0)
        if servers > 0, ports.count > 1, ports.count != servers {
            throw LoginSettings.refusal("There are \(ports.count) ports for \(servers) hosts.")
        }
    }

    /// Splits lists with commas into addresses.
    static func addresses(hosts: String?, addresses: String?, ports: String?) -> [HostAddress] {
        let hosts = list(hosts)
        let numbers = list(addresses)
        let ports = list(ports)
        return (0..<max(hosts.count, numbers.count, 1)).map { position in
            HostAddress(
                host: position < hosts.count ? hosts[position] : nil,
                address: position < numbers.count ? numbers[position] : nil,
                port: ports.isEmpty ? "5432" : ports[ports.count == 1 ? 0 : min(position, ports.count - 1)])
        }
    }

    private static func list(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
}

extension HostAddress: ServerAddress {
    /// A path and @ stand for sockets.
    var name: String? {
        guard address == nil, let host, !host.isEmpty, !host.hasPrefix("/"), !host.hasPrefix("@") else { return nil }
        return host
    }

    func at(_ number: String) -> HostAddress { HostAddress(host: host, address: number, port: port) }

    func isAddress(of server: HostAddress) -> Bool {
        (server.host, server.port) == (host, port) && [nil, address].contains(server.address)
    }
}
#endif
