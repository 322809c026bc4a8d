#if SQLite
import Foundation
import TableSQL

/// Opens connections to one file.
struct SQLiteConnector: SQLConnector {
    /// The absolute path, so that a change of the working directory does not lead to another file. Symbolic links of
    /// directories are resolved. URIs and in-memory names stay as they are.
    let path: String
    let pragmas: [String]
    let busyTimeout: Double

    init(path: String, pragmas: [String], busyTimeout: Double) {
        self.path = Self.absolute(path)
        self.pragmas = pragmas
        self.busyTimeout = busyTimeout
    }

    var place: String { path }

    func connect() throws -> SQLiteConnection {
        try SQLiteConnection(path: path, pragmas: pragmas, busyTimeout: busyTimeout)
    }

    func isHealthy(_ connection: SQLiteConnection) -> Bool { connection.isUsable && !connection.hasMoved }

    /// True for a name whose database is private to a connection: those of a pool would see different data.
    static func isPrivate(_ path: String) -> Bool {
        if path.isEmpty || path == ":memory:" { return true }
        guard let uri = SQLiteURI(path) else { return false }
        // A temporary file, whatever the options.
        if uri.name.isEmpty { return true }
        if uri.options["cache"] == "shared" { return false }
        if uri.name == ":memory:" || uri.options["mode"] == "memory" { return true }
        // This file system shares the names with a slash among all connections of a process.
        return uri.options["vfs"] == "memdb" && !uri.name.hasPrefix("/")
    }

    /// The refusal of such a name.
    static func privateMessage(_ path: String) -> String {
        "Each connection to \"\(path)\" would have an empty database of its own. Use a file in a temporary directory."
    }

    private static func absolute(_ path: String) -> String {
        if path.isEmpty || path.hasPrefix(":") || path.hasPrefix("file:") { return path }
        let url = URL(fileURLWithPath: path)
        return url.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(url.lastPathComponent)
            .path
    }
}
#endif
