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
