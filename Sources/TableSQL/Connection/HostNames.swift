import TableKit

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Looks up the addresses of hosts.
///
/// The C libraries would do that within calls that are otherwise non-blocking, without a limit, and would then wait for a
/// silent address as long as the login may take, although the next one answers.
package enum HostNames {
    /// The addresses of one host, or why there are none.
    package typealias Answer = Result<[String], SQLConnectionError>

    /// The numeric addresses of hosts, in the order in which RFC 6724 tries them. Looks all of them up at the same time.
    /// The address of a numeric host is the host itself.
    /// - Parameters:
    ///   - limit: the longest wait. Once one host has its addresses, the others get a quarter of a second: a name that
    ///     nobody answers must not hold up the logins. A look-up that takes longer goes on, for later callers.
    ///   - isOrdered: whether an earlier host is preferred. The names before the first host that has its addresses then
    ///     get a second, as silent hosts do in a ``HostRace``: one lost packet must not lead to another host.
    ///   - lookUps: those of the process.
    package static func addresses(
        of hosts: [String], within limit: Duration, isOrdered: Bool = false, _ lookUps: NameLookUps = .shared
    ) -> [Answer] {
        var answers: [Answer?] = hosts.map { isNumeric($0) ? .success([$0]) : nil }
        let wait = lookUps.wait(for: Set(zip(hosts, answers).filter { $1 == nil }.map(\.0)))
        defer { wait.end() }
        let end = Moment.now + limit
        var found: Moment?
        while true {
            for (number, host) in hosts.enumerated() where answers[number] == nil {
                answers[number] = wait.answer(host)
            }
            let first = answers.firstIndex { if case .success = $0 { true } else { false } }
            guard let missing = answers.firstIndex(where: { $0 == nil }) else { break }
            var deadline = end
            if let first {
                let since = found ?? .now
                found = since
                deadline = min(end, since + (isOrdered && missing < first ? lookUps.patience : lookUps.headStart))
            }
            let rest = deadline - .now
            if rest <= .zero { break }
            wait.pause(min(rest, NameLookUps.repetition))
        }
        return zip(hosts, answers).map { $1 ?? .failure(failure($0, "the look-up takes too long")) }
    }

    /// Whether a host is an IPv4 or IPv6 address, which may have a zone.
    package static func isNumeric(_ host: String) -> Bool {
        var found: UnsafeMutablePointer<addrinfo>?
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST
        guard unsafe getaddrinfo(host, nil, &hints, &found) == 0 else { return false }
        unsafe freeaddrinfo(found)
        return true
    }

    /// The address at the other end of a socket; nil for a local socket.
    package static func peer(of socket: Int32) -> String? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe getpeername(socket, address, &length) == 0 else { return nil }
                return unsafe numeric(address, length)
            }
        }
    }

    /// Blocks, without a limit.
    static func lookUp(_ host: String) -> Answer {
        var found: UnsafeMutablePointer<addrinfo>?
        var hints = unsafe addrinfo()
        #if canImport(Glibc)
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        unsafe hints.ai_socktype = SOCK_STREAM
        #endif
        let code = unsafe getaddrinfo(host, nil, &hints, &found)
        guard code == 0 else { return .failure(failure(host, unsafe String(cString: gai_strerror(code)))) }
        defer { unsafe freeaddrinfo(found) }
        var addresses: [String] = []
        var next = unsafe found
        while let entry = unsafe next {
            unsafe next = unsafe entry.pointee.ai_next
            if let address = unsafe numeric(entry.pointee.ai_addr, entry.pointee.ai_addrlen),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
        }
        return addresses.isEmpty ? .failure(failure(host, "no address")) : .success(addresses)
    }

    private static func numeric(_ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> String? {
        guard let address = unsafe address,
            unsafe [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
        else { return nil }
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = unsafe getnameinfo(address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
        guard code == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func failure(_ host: String, _ reason: String) -> SQLConnectionError {
        SQLConnectionError(.noConnection, code: .unavailable, "The address of \(host) is not known: \(reason)")
    }
}
