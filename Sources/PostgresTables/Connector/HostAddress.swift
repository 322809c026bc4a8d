#if PostgreSQL
import CPostgreSQL
import TableKit
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

    /// Checks that lists with commas have the same length: libpq does so at the login only.
    /// - Throws: ``SQLConnectionError`` with code `argument`.
    static func check(hosts: String?, addresses: String?, ports: String?) throws {
        let (hosts, addresses, ports) = (list(hosts).count, list(addresses).count, list(ports).count)
        let servers = max(hosts, addresses, 1)
        if hosts > 0, addresses > 0, hosts != addresses {
            throw refusal("The connection string has \(addresses) addresses for \(hosts) hosts.")
        }
        if ports > 1, ports != servers {
            throw refusal("The connection string has \(ports) ports for \(servers) hosts.")
        }
    }

    private static func refusal(_ message: String) -> SQLConnectionError {
        SQLConnectionError(.noConnection, code: .argument, message)
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
#endif
