import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Directories of servers.
public enum ServerDirectory {
    /// Where servers are made that nobody gives another place.
    public static var temporary: String { FileManager.default.temporaryDirectory.path }

    /// Where the servers are made that tests share: in memory where there is room. Tests make hundreds of databases, and a
    /// disk takes minutes to remove their files.
    package static var shared: String {
        let memory = "/dev/shm"
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: memory)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        return free >= 8 << 30 ? memory : temporary
    }

    /// Has a directory removed once this process has ended, however it ends. The process does not wait for that.
    /// - Returns: the process that removes it. The caller keeps it alive.
    static func removeAtExit(_ path: String) throws -> Lifeline {
        // Again and again, because a server that is about to end may still make files. Its output is closed, because the
        // reader of this process's output waits for the end of it.
        let script =
            "exec >/dev/null 2>&1; read -r line; tries=0;"
            + " until rm -rf \"$1\" || [ $tries = 60 ]; do tries=$((tries + 1)); sleep 1; done"
        return try Lifeline(script, [path])
    }

    /// A path in a directory that no other server has.
    public static func path(_ name: String, in parent: String) -> String {
        "\(parent)/siltstone-\(name)-\(UUID().uuidString.prefix(8))"
    }

    /// Makes a directory that the servers' user can write to.
    public static func make(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        if getuid() == 0, let nobody = unsafe getpwnam("nobody") {
            _ = unsafe chown(path, nobody.pointee.pw_uid, nobody.pointee.pw_gid)
        }
    }
}
