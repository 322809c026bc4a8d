import Foundation

/// A worker process of this program, and what it says.
final class ChildProcess {
    /// The argument by which the program knows that it is a worker; its order follows.
    static let argument = "--worker"

    private let process = Process()
    private let output = Pipe()
    private var buffer = Data()

    /// Starts it.
    init(_ order: WorkerOrder) throws {
        process.executableURL = Self.executable
        process.arguments = [Self.argument, String(decoding: try JSONEncoder().encode(order), as: UTF8.self)]
        process.standardOutput = output
        // Of those that a worker starts, the worker takes care.
        if order.task == .measure { try Interruption.start(process) } else { try process.run() }
    }

    private static var executable: URL {
        #if os(Linux)
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        #endif
    }

    /// Waits for what it says next.
    /// - Returns: nil once it has ended.
    func nextMessage() throws -> WorkerMessage? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(buffer[..<end])
                buffer = Data(buffer[buffer.index(after: end)...])
                return try JSONDecoder().decode(WorkerMessage.self, from: line)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            buffer.append(more)
        }
    }

    /// Waits for its end.
    /// - Returns: whether it ended in good order.
    func wait() -> Bool {
        process.waitUntilExit()
        Interruption.ended()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    /// Kills it, where it runs on.
    func end() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        Interruption.ended()
    }

    /// Waits for its end.
    /// - Returns: whether it was killed.
    func waitForKill() -> Bool {
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    }
}
