#if MySQL
/// The address of one server.
struct MySQLAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address. `localhost` without a port means the library's default socket.
    var host: String
    var port: UInt32
    /// The path of a socket, which replaces host and port.
    var socket: String?

    var description: String { socket ?? "\(host.contains(":") ? "[\(host)]" : host):\(port == 0 ? 3306 : port)" }
}
#endif
