import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A server that runs as an unprivileged user, since servers refuse to run as root, and ends with this process, however
/// that ends: a shell holds a pipe from here, and stops the server when the pipe is closed.
public final class ServerProcess: Sendable {
    private let lifeline: Lifeline
    private let log: String

    /// Starts a program.
    /// - Parameters:
    ///   - words: its path and arguments.
    ///   - log: the file that takes its output.
    ///   - signal: what ends it.
    ///   - machine: the network namespace in which it runs; nil for that of this process.
    public init(_ words: [String], log: String, signal: String = "INT", on machine: String? = nil) throws {
        self.log = log
        // No `wait`: with the signals that Swift's threads block, the shell would not hear of the end.
        let script =
            "\"$@\" >>\(log) 2>&1 </dev/null & echo $! >\(log).process; read -r line; kill -\(signal) $!"
        let place = machine.map { [NodeNetwork.program ?? "ip", "netns", "exec", $0] } ?? []
        lifeline = try Lifeline(script, place + Self.unprivileged(words))
    }

    /// A command that runs as `nobody` where this process is root's.
    public static func unprivileged(_ words: [String]) -> [String] {
        guard getuid() == 0 else { return words }
        return ["/usr/bin/setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"] + words
    }

    /// Ends the program and waits for it.
    public func stop() {
        guard lifeline.end(), let identifier else { return }
        while Self.isAlive(identifier) { usleep(5000) }
    }

    /// The number of the program's process; nil until it is known.
    public var identifier: Int32? {
        let text = try? String(contentsOfFile: log + ".process", encoding: .utf8)
        return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    /// Sends the program a signal.
    public func send(_ signal: Int32) { if let identifier { Self.send(signal, to: identifier) } }

    /// Sends a process a signal.
    public static func send(_ signal: Int32, to process: Int32) {
        #if canImport(Glibc)
        _ = Glibc.kill(process, signal)
        #else
        _ = Darwin.kill(process, signal)
        #endif
    }

    /// Processes and their children.
    public static func family(_ parents: [Int32]) -> [Int32] {
        let all = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
        return parents
            + all.filter { process in
                let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
                // After the name in brackets: the state, then the parent.
                let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
                return fields.count > 1 && parents.contains { "\($0)" == fields[1] }
            }
    }

    /// Stops the program, and waits until all of its threads have stopped.
    public func freeze() {
        send(SIGSTOP)
        guard let identifier else { return }
        let tasks = "/proc/\(identifier)/task"
        for _ in 0..<2000 {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
            let isStopped = threads.allSatisfy { thread in
                let stat = (try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8)) ?? ""
                return stat.split(separator: ")").last?.split(separator: " ").first == "T"
            }
            if isStopped { return }
            usleep(1000)
        }
    }

    /// Whether a process runs or is stopped; one that only waits for its parent does not.
    public static func isAlive(_ process: Int32) -> Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return stat.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    /// Runs a program to its end.
    /// - Parameter isPrivileged: whether it runs as the user of this process.
    /// - Throws: ``ServerFailure`` with its output where it fails.
    @discardableResult
    public static func run(_ words: [String], isPrivileged: Bool = false) throws -> String {
        let process = Process()
        let output = Lifeline.makePipe()
        let words = isPrivileged ? words : unprivileged(words)
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardOutput = output
        process.standardError = output
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        try Lifeline.start(process)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw ServerFailure("\(words.joined(separator: " ")): \(text)") }
        return text
    }

    /// What the program said last.
    public var words: String {
        String(decoding: FileManager.default.contents(atPath: log)?.suffix(2000) ?? Data(), as: UTF8.self)
    }
}

/// A server could not be started or stopped.
public struct ServerFailure: Error, CustomStringConvertible {
    /// What happened.
    public let description: String

    /// - Parameter description: what happened.
    public init(_ description: String) { self.description = description }
}
