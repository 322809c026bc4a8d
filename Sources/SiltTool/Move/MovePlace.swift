import CRUDKit
import Foundation
import Siltstone
import TableKit

#if PostgreSQL
import PostgresTables
#endif
#if MySQL
import MySQLTables
#endif
#if SQLite
import SQLiteTables
#endif

/// One end of a move, as given on the command line: the path of a store, or the URL of another database.
enum MovePlace: Hashable {
    case store(path: String)
    case postgres(url: String)
    case mysql(url: String)
    case sqlite(path: String)

    /// Parses a place. Text without a known scheme is the path of a store.
    init(_ text: String) {
        let scheme = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        let rest = String(text.dropFirst(scheme.count + 1))
        self =
            switch scheme.lowercased() {
            case "postgres", "postgresql": .postgres(url: "postgresql:" + rest)
            case "mysql", "mariadb": .mysql(url: "mysql:" + rest)
            case "sqlite": .sqlite(path: rest.hasPrefix("//") ? String(rest.dropFirst(2)) : rest)
            default: .store(path: text)
            }
    }

    /// True if two places have the same text, or are paths that lead to the same store or file.
    func isSame(as other: MovePlace) -> Bool {
        switch (self, other) {
        case (.store(let path), .store(let second)), (.sqlite(let path), .sqlite(let second)):
            Self.resolved(path) == Self.resolved(second)
        default: self == other
        }
    }

    /// The path as the system follows it. If it leads nowhere: its parent as the system follows that, and the last
    /// name.
    private static func resolved(_ path: String) -> String {
        if let found = System.realPath(path) { return found }
        let names = path.split(separator: "/")
        guard let last = names.last else { return path }
        let parent = (path.hasPrefix("/") ? "/" : "./") + names.dropLast().joined(separator: "/")
        return (System.realPath(parent) ?? parent) + "/" + last
    }

    /// True if the text of a store's path has the form of another database's address.
    static func isAddress(_ path: String) -> Bool {
        if ["/", "./", "../"].contains(where: { path.hasPrefix($0) }) { return false }
        return path.contains("://") || ConnectionKeywords.areIn(path)
    }

    /// The error of a text that is an address. It shows nothing but a scheme: anything else may be a password.
    private static func refusal(of address: String) -> ToolError {
        var shown = "a text of keywords and values"
        if !ConnectionKeywords.areIn(address), let sign = address.range(of: "://") {
            let scheme = address[..<sign.lowerBound].reversed().prefix { $0.isLetter || $0.isNumber }
            shown = String(scheme.reversed()) + "://…"
        }
        return ToolError(
            .usage,
            "\(shown) is no place; give the path of a store (./ before such a name), or a URL that begins with "
                + "postgres://, mysql:// or sqlite:")
    }

    /// The place for reports, without a password.
    var description: String {
        switch self {
        case .store(let path): path
        case .sqlite(let path): "sqlite:" + path
        case .postgres(let url), .mysql(let url): ServerURL(url).withoutPassword
        }
    }

    #if PostgreSQL
    /// How a move uses PostgreSQL.
    static var postgresOptions: PostgresOptions {
        var options = PostgresOptions()
        options.statementTimeout = longestStatement
        return options
    }
    #endif

    #if MySQL
    /// How a move uses MariaDB.
    static var mysqlOptions: MySQLOptions {
        var options = MySQLOptions()
        options.statementTimeout = longestStatement
        return options
    }
    #endif

    /// The time that a statement may take: no limit in practice, since an index of a large table takes hours. A number
    /// overrides the server's own setting. Silent servers are still asked by another connection whether they answer.
    private static let longestStatement: Duration = .seconds(20 * 24 * 3600)

    /// Opens the place.
    /// - Parameter isTarget: whether it receives the rows. If so, a missing store is created.
    /// - Throws: ``ToolError`` if this build of the tool lacks the trait.
    func open(isTarget: Bool) throws -> any MoveEndpoint {
        switch self {
        case .store(let path):
            if Self.isAddress(path) { throw Self.refusal(of: path) }
            var configuration = Configuration()
            configuration.createIfMissing = isTarget
            configuration.readOnly = !isTarget
            return try StoreEndpoint(try KeyValueStore.open(at: path, configuration: configuration))
        // Each server has a branch of its own: without its trait, its types do not exist.
        case .postgres(let url):
            #if PostgreSQL
            // libpq would read other texts as keywords and values, and show them in its error.
            if !url.hasPrefix("postgresql://") {
                throw ToolError(.usage, "the URL of PostgreSQL begins with postgres:// or postgresql://")
            }
            if ServerURL(url).hasAmbiguousPassword {
                throw ToolError(.usage, "a name or password in the URL of PostgreSQL has an @; write it as %40")
            }
            let configuration = try PostgresDatabaseConfiguration(url, options: Self.postgresOptions)
            return ServerEndpoint(configuration, catalogueName: PostgresRepository.catalogueName) {
                PostgresRepository(configuration: configuration, tableName: $0)
            }
            #else
            _ = url
            throw Self.missing("PostgreSQL", "libpq-dev")
            #endif
        case .mysql(let url):
            #if MySQL
            let configuration = try MySQLDatabaseConfiguration(url, options: Self.mysqlOptions)
            return ServerEndpoint(
                configuration, catalogueName: MySQLRepository.catalogueName, keepsCatalogue: false
            ) {
                MySQLRepository(configuration: configuration, tableName: $0)
            }
            #else
            _ = url
            throw Self.missing("MySQL", "libmariadb-dev")
            #endif
        case .sqlite(let path):
            #if SQLite
            if !isTarget, !FileManager.default.fileExists(atPath: path) {
                throw ToolError(.usage, "there is no file '\(path)'")
            }
            // A source is opened as it is: another journal would be a change of its file.
            let configuration =
                isTarget
                ? try SQLiteDatabaseConfiguration(path)
                : try SQLiteDatabaseConfiguration(path, pragmas: ["foreign_keys = ON", "query_only = ON"])
            // Repositories of a source are read as tables.
            return ServerEndpoint(configuration, catalogueName: SQLiteRepository.catalogueName) {
                try SQLiteRepository(path: path, tableName: $0)
            }
            #else
            _ = path
            throw Self.missing("SQLite", "libsqlite3-dev")
            #endif
        }
    }

    private static func missing(_ trait: String, _ package: String) -> ToolError {
        ToolError(
            .usage,
            "this build of silt knows no \(trait); build it with 'swift build -c release --product silt --traits \(trait)' "
                + "(Debian: \(package))")
    }
}
