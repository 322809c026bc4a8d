import Foundation

/// The URL of a server, as given on the command line.
struct ServerURL {
    /// `postgresql` or `mysql`.
    private let scheme: Substring
    /// The user and the password. Nil: none.
    private let credentials: Substring?
    /// Hosts, path and the question mark.
    private let place: Substring
    /// The parts of the query.
    private let parameters: [Substring]
    private let isURL: Bool

    init(_ text: String) {
        let query = text.firstIndex(of: "?")
        parameters =
            query.map { text[text.index(after: $0)...] }?.split(
                separator: "&", omittingEmptySubsequences: false) ?? []
        let whole = text[..<(query.map { text.index(after: $0) } ?? text.endIndex)]
        let start = whole.range(of: "://")
        isURL = start != nil
        scheme = start.map { whole[..<$0.lowerBound] } ?? ""
        let rest = start.map { whole[$0.upperBound...] } ?? whole
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        // The last one: MariaDB's URLs may have an unencoded @ in a password.
        let at = authority.lastIndex(of: "@")
        credentials = at.map { rest[..<$0] }
        place = at.map { rest[$0...] } ?? rest
    }

    /// The URL without passwords.
    var withoutPassword: String {
        let user = credentials?.prefix { $0 != ":" } ?? ""
        let shown = parameters.map { part -> Substring in
            let keyword = part.prefix { $0 != "=" }
            let isSecret = keyword.removingPercentEncoding?.lowercased().hasSuffix("password") ?? true
            return isSecret ? part.prefix(keyword.count) + "=" : part
        }
        return scheme + (isURL ? "://" : "") + user + place + shown.joined(separator: "&")
    }

    /// Whether libpq, for which the first @ ends the password, would take its rest for a host, and show it in messages.
    var hasAmbiguousPassword: Bool { credentials?.contains("@") ?? false }
}
