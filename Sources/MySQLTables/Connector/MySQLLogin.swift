#if MySQL
import CMariaDB
import Foundation
import TableKit
import TableSQL

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The parameters of a login: addresses, user, database, encryption.
struct MySQLLogin: Sendable {
    var addresses: [MySQLAddress] = []
    var user: String?
    var password: String?
    var database: String?
    var tls = MySQLTLS()

    /// Parses a URL of the form `mysql://user:password@host:port,host:port/database?keyword=value`.
    /// - Throws: ``SQLConnectionError`` if it cannot be parsed.
    init(_ url: String) throws {
        var rest = Substring(url)
        if rest.isEmpty { return }
        guard let scheme = ["mysql://", "mariadb://"].first(where: { rest.hasPrefix($0) }) else {
            throw Self.refusal("A connection URL begins with mysql:// or mariadb://")
        }
        rest = rest.dropFirst(scheme.count)
        let query = Self.cut(&rest, behind: "?")
        let path = Self.cut(&rest, behind: "/")
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = try Self.decoded(parts[0])
            if parts.count > 1 { password = try Self.decoded(parts[1]) }
            rest = rest[rest.index(after: at)...]
        }
        addresses = try rest.split(separator: ",").map(Self.address)
        if path?.contains("@") == true { throw Self.refusal("A database has an @") }
        if let path, !path.isEmpty { database = try Self.decoded(path) }
        for pair in query?.split(separator: "&") ?? [] { try apply(pair) }
        if user?.isEmpty == true { user = nil }
    }

    /// The bytes of a socket's path, with a null character at its end.
    private static let pathCapacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    private mutating func apply(_ pair: Substring) throws {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let (keyword, value) = (try Self.decoded(parts[0]), try Self.decoded(parts.count > 1 ? parts[1] : ""))
        switch keyword {
        case "socket":
            // The library copies the path without a look at its length.
            guard value.utf8.count < Self.pathCapacity else {
                throw Self.refusal("The path of a socket has at most \(Self.pathCapacity - 1) bytes")
            }
            addresses = [MySQLAddress(host: "localhost", port: 0, socket: value)]
        case "user": user = value
        case "password": password = value
        case "ssl-mode":
            guard let mode = MySQLTLS.Mode(rawValue: value) else {
                throw Self.refusal("ssl-mode is disabled, preferred, required or verify-identity")
            }
            tls.mode = mode
        case "ssl-ca": tls.authorities = value
        case "ssl-capath": tls.authoritiesDirectory = value
        case "ssl-cert": tls.certificate = value
        case "ssl-key": tls.key = value
        case "ssl-cipher": tls.ciphers = value
        case "ssl-crl": tls.revocations = value
        case "tls-version": tls.versions = value
        case "tls-fp": tls.fingerprint = value
        default:
            throw Self.refusal(
                "A connection URL has the keywords socket, user, password, ssl-mode, ssl-ca, ssl-capath, ssl-cert, "
                    + "ssl-key, ssl-cipher, ssl-crl, tls-version and tls-fp, and no other")
        }
    }

    /// Cuts a text at the first occurrence of a sign.
    /// - Returns: the text behind the sign; nil if there is none.
    private static func cut(_ text: inout Substring, behind sign: Character) -> Substring? {
        guard let place = text.firstIndex(of: sign) else { return nil }
        defer { text = text[..<place] }
        return text[text.index(after: place)...]
    }

    private static func address(_ text: Substring) throws -> MySQLAddress {
        var (host, port) = (text, Substring())
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            port = text[text.index(after: end)...].drop { $0 == ":" }
        } else if let colon = text.lastIndex(of: ":") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
        }
        guard port.isEmpty || (UInt16(port) ?? 0) > 0 else { throw refusal("A port is a number from 1 to 65535") }
        let name = try decoded(host)
        return MySQLAddress(host: name.isEmpty ? "localhost" : name, port: UInt32(port) ?? 0)
    }

    private static func decoded(_ text: Substring) throws -> String {
        guard let decoded = text.removingPercentEncoding, !decoded.utf8.contains(0) else {
            throw refusal("A part of a connection URL cannot be read")
        }
        return decoded
    }

    /// The error of a URL that cannot be parsed. It repeats no part of the URL: an unencoded sign in a password shifts
    /// the password into another part.
    static func refusal(_ message: String) -> SQLConnectionError {
        SQLConnectionError(
            .noConnection, code: .argument,
            message + ". Encode signs such as / ? # @ : in names and passwords as %2F %3F %23 %40 %3A")
    }
}

/// The encryption of connections to MariaDB.
public struct MySQLTLS: Sendable, Hashable {
    /// Whether a connection is encrypted, and whether the certificate is verified.
    public enum Mode: String, Sendable, Hashable {
        /// Never encrypted.
        case disabled
        /// Encrypted if the server can. Without a verified certificate, an attacker can read and change everything.
        case preferred
        /// Always encrypted. The certificate is not verified.
        case required
        /// Always encrypted. An authority must have signed the certificate for the host's name.
        case verifyIdentity = "verify-identity"
    }

    /// Whether connections are encrypted.
    public var mode: Mode = .preferred
    /// A PEM file with the certificates of authorities.
    public var authorities: String?
    /// A directory with the certificates of authorities.
    public var authoritiesDirectory: String?
    /// A PEM file with this program's certificate.
    public var certificate: String?
    /// A PEM file with this program's key.
    public var key: String?
    /// The allowed ciphers, in OpenSSL's syntax.
    public var ciphers: String?
    /// A PEM file with revoked certificates.
    public var revocations: String?
    /// The allowed versions, such as `TLSv1.2,TLSv1.3`.
    public var versions: String?
    /// The fingerprint of the server's certificate, instead of an authority.
    public var fingerprint: String?

    /// Settings that encrypt connections if the server can.
    public init() {}

    /// Applies the settings to a connection of the library.
    func apply(to raw: UnsafeMutablePointer<MYSQL>) {
        guard mode != .disabled else { return }
        mysql_ssl_set(raw, key, certificate, authorities, authoritiesDirectory, ciphers)
        if let revocations { mysql_options(raw, MYSQL_OPT_SSL_CRL, revocations) }
        if let versions { mysql_options(raw, MARIADB_OPT_TLS_VERSION, versions) }
        if let fingerprint { mysql_options(raw, MARIADB_OPT_TLS_PEER_FP, fingerprint) }
        var isChecked: my_bool = mode == .verifyIdentity ? 1 : 0
        mysql_options(raw, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &isChecked)
        // The library asks for encryption, but continues in plain text without an answer.
        var isWanted: my_bool = 1
        mysql_options(raw, MYSQL_OPT_SSL_ENFORCE, &isWanted)
    }
}
#endif
