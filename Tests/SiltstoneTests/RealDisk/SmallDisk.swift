#if os(Linux)
import Foundation

/// A file system in memory of a few megabytes, in a mount namespace of its own.
///
/// The namespace belongs to a shell that waits for commands, and is reached through `/proc`: nothing is mounted where
/// anyone else would see it, and nothing is left when the shell ends, which it does when this process dies.
final class SmallDisk {
    /// Where the file system is, for this process and its children.
    let path: String
    private let shell = Process()
    private let commands = Pipe()
    private let answers = Pipe()

    /// Whether there can be one here; says why, where not.
    static let isAvailable: Bool = {
        do {
            _ = try SmallDisk(megabytes: 1)
            return true
        } catch {
            print("skipped: tests on a small disk: \(error)")
            return false
        }
    }()

    /// Makes one of some MiB.
    /// - Throws: ``CrashFailure`` where mounting is not permitted, neither directly nor as the root of a user namespace.
    init(megabytes: Int) throws {
        let isRoot = geteuid() == 0
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = ["unshare", isRoot ? "-m" : "-rm", "/bin/sh", "-c", Self.loop]
        shell.standardInput = commands
        shell.standardOutput = answers
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        path = "/proc/\(shell.processIdentifier)/root/mnt"
        do { try run("mount -t tmpfs -o size=\(megabytes)m,mode=777 siltstone /mnt") } catch {
            throw CrashFailure("no file system can be mounted here: \(error)")
        }
    }

    deinit {
        do { try commands.fileHandleForWriting.close() } catch { shell.terminate() }
        shell.waitUntilExit()
    }

    /// Runs each line that comes in, and says how it went.
    private static let loop = #"while read -r line; do eval "$line" >/dev/null 2>&1 </dev/null; echo $?; done"#

    /// Runs a line of shell in the namespace, where the file system is `/mnt`.
    func run(_ line: String) throws {
        try commands.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        let answer = String(decoding: answers.fileHandleForReading.availableData, as: UTF8.self)
        try CrashFailure.require(answer == "0\n", "'\(line)' ended with '\(answer)'")
    }

    // MARK: Space

    /// Bytes that are free.
    func free() throws -> Int {
        var status = statvfs()
        try CrashFailure.require(statvfs(path, &status) == 0, "the disk cannot be asked for its space")
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// Takes all space but some bytes.
    func fill(leaving bytes: Int) throws {
        try removeBallast()
        let count = max(0, try free() - bytes)
        let descriptor = open(path + "/ballast", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        try CrashFailure.require(descriptor >= 0, "no ballast can be made")
        defer { close(descriptor) }
        if count > 0 {
            let code = posix_fallocate(descriptor, 0, off_t(count))
            try CrashFailure.require(code == 0, "the ballast does not fit: \(code)")
        }
    }

    /// Gives some bytes back at once, while others may be taking them.
    func release(_ bytes: Int) throws {
        var status = stat()
        try CrashFailure.require(stat(path + "/ballast", &status) == 0, "there is no ballast")
        let length = max(0, Int(status.st_size) - bytes)
        try CrashFailure.require(truncate(path + "/ballast", off_t(length)) == 0, "the ballast cannot be cut")
    }

    /// Gives all the space back.
    func removeBallast() throws {
        let ballast = path + "/ballast"
        guard FileManager.default.fileExists(atPath: ballast) else { return }
        // A process that another test is just starting may hold the file, and what it takes, for a moment more.
        try CrashFailure.require(truncate(ballast, 0) == 0, "the ballast cannot be emptied")
        try FileManager.default.removeItem(atPath: ballast)
    }
}
#endif
