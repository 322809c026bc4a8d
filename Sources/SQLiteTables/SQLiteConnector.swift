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

    private static func absolute(_ path: String) -> String {
        if path.isEmpty || path.hasPrefix(":") || path.hasPrefix("file:") { return path }
        let url = URL(fileURLWithPath: path)
        return url.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(url.lastPathComponent)
            .path
    }
}
#endif
