package import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A shell whose input is a pipe from here. Its script reads a line, which never comes: the read ends with this process,
/// however that ends, and the script removes what must not outlive the process.
package final class Lifeline: @unchecked Sendable {
    // `@unchecked Sendable`: nothing changes after the initializer.
    private let process = Process()
    private let pipe: Pipe
    /// One start at a time: a child that begins between a pipe and its flag would keep the pipe open.
    private static let starts = Mutex(())

    /// Starts a script.
    /// - Parameters:
    ///   - script: for `/bin/sh`.
    ///   - words: its arguments.
    package init(_ script: String, _ words: [String] = []) throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, "sh"] + words
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        pipe = Self.makePipe()
        process.standardInput = pipe
        try Self.start(process)
    }

    package static func start(_ process: Process) throws { try starts.withLock { _ in try process.run() } }

    /// A pipe that other children do not keep open.
    package static func makePipe() -> Pipe {
        starts.withLock { _ in
            let pipe = Pipe()
            for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(handle.fileDescriptor, F_SETFD, fcntl(handle.fileDescriptor, F_GETFD) | FD_CLOEXEC)
            }
            return pipe
        }
    }

    /// Has the script go on, and waits for its end.
    /// - Returns: false where it had ended.
    @discardableResult
    package func end() -> Bool {
        guard process.isRunning else { return false }
        do { try pipe.fileHandleForWriting.close() } catch { process.terminate() }
        process.waitUntilExit()
        return true
    }
}
