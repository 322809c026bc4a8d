/// Where a server is. Its host may be a name, with several addresses.
package protocol ServerAddress: Equatable {
    /// The name that must be looked up; nil for a numeric address or a local socket.
    var name: String? { get }
    /// The server at one of its numeric addresses.
    func at(_ number: String) -> Self
    /// Whether this is one of a server's addresses.
    func isAddress(of server: Self) -> Bool
}

extension ServerAddress {
    /// The addresses of each server, those of the last connection first.
    /// - Parameters:
    ///   - last: the address of the last connection.
    ///   - isOrdered: whether earlier servers are preferred.
    ///   - keepsNames: whether the C library gets the names, and looks them up itself. It does so without a limit: a
    ///     name whose look-up fails, or takes too long, does not get that far.
    ///   - limit: the longest look-up (``HostNames/addresses(of:within:isOrdered:_:)``).
    package static func addresses(
        of servers: [Self], last: Self?, isOrdered: Bool = false, keepsNames: Bool = false, within limit: Duration
    ) -> [Result<[Self], SQLConnectionError>] {
        var order = servers
        if let position = last.flatMap({ order.firstIndex(where: $0.isAddress) }) { order.swapAt(0, position) }
        var answers = HostNames.addresses(of: order.compactMap(\.name), within: limit, isOrdered: isOrdered)[...]
        return order.map { server in
            guard server.name != nil, let answer = answers.popFirst() else { return .success([server]) }
            return answer.map { numbers in
                if keepsNames { return [server] }
                let addresses = numbers.map(server.at)
                return addresses.filter { $0 == last } + addresses.filter { $0 != last }
            }
        }
    }
}
