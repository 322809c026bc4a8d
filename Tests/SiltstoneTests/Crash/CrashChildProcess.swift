import Foundation

@testable import CrashChild

/// A running child.
final class CrashChildProcess {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let process = Process()
    private let standardError = Pipe()
    let journal: CrashJournal

    /// Starts a child with an empty journal.
    init(_ arguments: CrashArguments) throws {
        journal = try CrashJournal(path: arguments.journal, isNew: true)
        process.executableURL = try Self.executable()
        process.arguments = arguments.words
        process.standardError = standardError
        // A backtrace tells enough.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_BACKTRACE": "registers=none,images=none"]
        ) { $1 }
        try process.run()
    }

    /// The child's program, which the build puts beside the tests.
    private static func executable() throws -> URL {
        var candidates = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()].compactMap {
            $0
        }
        candidates += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        for directory in candidates {
            let url = directory.appendingPathComponent("CrashChild")
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        throw Failure(description: "the program CrashChild is in none of \(candidates.map(\.path))")
    }

    /// Waits until the journal says so; polls, as nobody could tell.
    /// - Throws: ``Failure`` where the child ends by itself before, or hangs: nothing that it does takes minutes.
    func wait(until condition: (CrashJournal) -> Bool) throws {
        let start = ContinuousClock.now
        while !condition(journal) {
            if !process.isRunning { throw Failure(description: "the child ended by itself: " + errorText()) }
            if ContinuousClock.now - start > .seconds(120) {
                kill()
                throw Failure(description: "the child hung in phase \(journal.phase)")
            }
            usleep(100)
        }
    }

    /// Kills the child, as the kernel does, and waits until it is gone.
    func kill() {
        #if canImport(Darwin)
        Darwin.kill(process.processIdentifier, SIGKILL)
        #else
        Glibc.kill(process.processIdentifier, SIGKILL)
        #endif
        process.waitUntilExit()
    }

    /// Waits until the child has ended by itself.
    func waitUntilClosed() throws {
        try wait { $0.phase == .closed }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "the child ended with \(process.terminationStatus): " + errorText())
        }
    }

    private func errorText() -> String {
        process.waitUntilExit()
        return String(decoding: standardError.fileHandleForReading.availableData, as: UTF8.self)
    }
}
