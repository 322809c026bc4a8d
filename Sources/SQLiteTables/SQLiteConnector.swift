#if SQLite
import Foundation
import TableSQL

/// Opens connections to one file.
struct SQLiteConnector: SQLConnector {
    let path: String
    let pragmas: [String]
    let busyTimeout: Double

    var place: String { path }

    func connect() throws -> SQLiteConnection {
        try SQLiteConnection(path: path, pragmas: pragmas, busyTimeout: busyTimeout)
    }

    func isHealthy(_ connection: SQLiteConnection) -> Bool { connection.isUsable }

    /// The absolute path, with symbolic links of directories resolved. URIs and in-memory names stay as they are.
    var canonicalPath: String {
        if path.isEmpty || path.hasPrefix(":") || path.hasPrefix("file:") { return path }
        let url = URL(fileURLWithPath: path)
        return url.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(url.lastPathComponent)
            .path
    }
}
#endif
