import Foundation
import Synchronization

/// What is left to do where the run is told to end before its time: by Ctrl-C, by `kill`, by a terminal or a reader of its
/// output that is gone. The process under way is ended, what it was working on is removed, and this one ends as one does that
/// was killed by that signal.
enum Interruption {
    private struct Debts {
        var directories: [String] = []
        var child: pid_t?
        /// Whether the end has begun: nothing is begun, made or written any more.
        var isEnding = false
    }

    private static let debts = Mutex(Debts())

    /// Begins to listen.
    static func watch() {
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "silt-bench.interruption")
        for number: Int32 in [SIGINT, SIGTERM, SIGHUP] {
            // Without it, the signal would do what it usually does before anybody listens. Who has had it ignored, as `nohup`
            // does, means that.
            let before = signal(number, SIG_IGN)
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { continue }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            // The source holds itself by this: one that nobody holds is cancelled.
            source.setEventHandler { [source] in
                _ = source
                end(number)
            }
            source.resume()
        }
    }

    /// Removes what was made, and ends.
    static func end(_ number: Int32) -> Never {
        let (child, directories) = debts.withLock {
            $0.isEnding = true
            return ($0.child, $0.directories)
        }
        if let child { kill(child, SIGKILL) }
        for directory in directories {
            // The child may be amid a file: what it makes while it dies goes with another attempt.
            for _ in 0..<20 where FileManager.default.fileExists(atPath: directory) {
                do { try FileManager.default.removeItem(atPath: directory) } catch { usleep(50_000) }
            }
        }
        exit(128 + number)
    }

    /// Runs `body`, which works in a directory, and removes that at its end, whatever that is.
    static func withDirectory<R>(_ path: String, note: (String) -> Void, _ body: () throws -> R) throws -> R {
        try unlessEnding { debts in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            debts.directories.append(path)
        }
        defer {
            do { try FileManager.default.removeItem(atPath: path) } catch { note("\(error)") }
            unlessEnding { $0.directories.removeAll { $0 == path } }
        }
        return try body()
    }

    /// Starts a process that works for this one, and takes note of it.
    static func start(_ process: Process) throws {
        try unlessEnding { debts in
            try process.run()
            debts.child = process.processIdentifier
        }
    }

    /// Takes note that the process has ended.
    static func ended() { unlessEnding { $0.child = nil } }

    /// Goes on; not where the end has begun.
    static func proceed() { unlessEnding { _ in } }

    /// Does something to what is noted: all of it before an end begins, so that the end finds it done, or, where one has
    /// begun, nothing any more.
    private static func unlessEnding<E: Error>(_ body: (inout Debts) throws(E) -> Void) throws(E) {
        try debts.withLock { debts throws(E) in
            while debts.isEnding { sleep(1) }
            try body(&debts)
        }
    }
}
