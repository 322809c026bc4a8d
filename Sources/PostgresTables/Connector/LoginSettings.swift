#if PostgreSQL
import CPostgreSQL
import CRUDKit
import Foundation
import TableKit
import TableSQL

/// The keywords of a connection, in libpq's order: a connection string, then its overrides.
struct LoginSettings: Sendable {
    private var pairs: [(keyword: String, value: String)]

    init(_ connectionString: String) {
        pairs = connectionString.isEmpty ? [] : [("dbname", connectionString)]
    }

    mutating func set(_ keyword: String, _ value: String) { pairs.append((keyword, value)) }

    func setting(_ more: [(String, String)]) -> LoginSettings {
        var settings = self
        for (keyword, value) in more { settings.set(keyword, value) }
        return settings
    }

    /// Checks the syntax of a connection string.
    /// - Returns: its keywords that have values.
    /// - Throws: ``SQLConnectionError`` with code `argument`.
    static func parse(_ connectionString: String) throws -> [String: String] {
        guard !connectionString.utf8.contains(0) else {
            throw refusal("A connection string cannot hold a null character.")
        }
        // A / of a password that is not encoded would make a database of the rest.
        if connectionString.hasPrefix("postgres"), let scheme = connectionString.firstRange(of: "://"),
            connectionString[scheme.upperBound...].prefix(while: { $0 != "?" }).drop(while: { $0 != "/" }).contains("@")
        {
            throw refusal(
                "A URL has an @ behind its hosts. Encode signs such as / @ : in names and passwords (%2F %40 %3A).")
        }
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(connectionString, &message)
        defer {
            PQfreemem(message)
            PQconninfoFree(options)
        }
        guard let options else {
            let reason = message.map { String(cString: $0) } ?? "out of memory"
            throw refusal("The connection string cannot be read: \(withoutSecrets(reason, connectionString))")
        }
        return values(options)
    }

    /// The error of settings with which no login is tried.
    static func refusal(_ message: String) -> SQLConnectionError {
        SQLConnectionError(.noConnection, code: .argument, message)
    }

    /// libpq's reason without the parts of the connection string that it quotes, if they may belong to a password.
    private static func withoutSecrets(_ reason: String, _ connectionString: String) -> String {
        let text = connectionString.lowercased()
        guard text.contains("pass") || (text.contains("://") && text.contains("@")) else { return reason }
        guard let first = reason.firstIndex(of: "\""), let last = reason.lastIndex(of: "\"") else { return reason }
        // A quoted part may contain quotation marks itself.
        return reason[..<first] + "\"…\"" + reason[reason.index(after: last)...]
    }

    static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }

    /// Starts a login. Blocks while libpq looks up a name.
    /// - Returns: nil if memory is exhausted.
    func start() -> OpaquePointer? {
        // libpq makes the socket itself. What the process prints must not go to the server.
        StandardDescriptors.occupy()
        let keywords = pairs.map { strdup($0.keyword) }
        let values = pairs.map { strdup($0.value) }
        defer { for string in keywords + values { free(string) } }
        // Both lists end with a null pointer.
        let names: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer($0) } + [nil]
        let contents: [UnsafePointer<CChar>?] = values.map { UnsafePointer($0) } + [nil]
        return PQconnectStartParams(names, contents, 1)
    }

    /// The keywords that have values, including those of the service file, the environment and libpq's defaults.
    ///
    /// libpq tells them of a connection only. This one fails at an encryption that does not exist, before libpq looks
    /// up a name: that would block, without a limit.
    func expanded() -> [String: String] {
        guard let connection = setting([("sslmode", "none")]).start() else { return [:] }
        defer { PQfinish(connection) }
        guard let options = PQconninfo(connection) else { return [:] }
        defer { PQconninfoFree(options) }
        return Self.values(options)
    }
}
#endif
