#if MySQL
/// Where one server of several listens.
struct MySQLAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address. `localhost` means the library's default socket where there is no port.
    var host: String
    var port: UInt32
    /// The path of a socket, in place of host and port.
    var socket: String?

    var description: String { socket ?? "\(host.contains(":") ? "[\(host)]" : host):\(port == 0 ? 3306 : port)" }
}
#endif
