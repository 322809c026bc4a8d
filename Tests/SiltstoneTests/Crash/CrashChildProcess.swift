import Foundation

@testable import CrashChild

/// A running child.
///
/// Started and reaped by the system calls: Foundation's `Process` takes longer for both than a short-lived child lives.
final class CrashChildProcess {
    let journal: CrashJournal
    let identifier: pid_t
    private let errorPath: String
    /// What `waitpid` said; nil while the child runs.
    private var status: Int32?

    /// Starts a child with an empty journal.
    convenience init(_ arguments: CrashArguments) throws {
        let journal = try CrashJournal(path: arguments.journal, isNew: true)
        try self.init(arguments.words, journal: journal, errors: arguments.journal + ".errors")
    }

    /// Starts a child.
    /// - Parameters:
    ///   - words: its command line, without the program's name.
    ///   - journal: the journal that it is told of there.
    ///   - errors: the path of the file that takes its standard error.
    init(_ words: [String], journal: CrashJournal, errors: String) throws {
        self.journal = journal
        errorPath = errors
        identifier = try Self.spawn([try Self.executable()] + words, errors: errors)
    }

    /// A child that is given up is not left running.
    deinit { kill() }

    private static func spawn(_ words: [String], errors: String) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        var arguments = words.map { strdup($0) } + [nil]
        // A backtrace tells enough.
        let variables = ProcessInfo.processInfo.environment.filter { $0.key != "SWIFT_BACKTRACE" }
        var environment =
            variables.map { strdup("\($0.key)=\($0.value)") }
            + [strdup("SWIFT_BACKTRACE=registers=none,images=none"), nil]
        defer { for string in arguments + environment { free(string) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, words[0], &actions, nil, &arguments, &environment)
        try CrashFailure.require(code == 0, "\(words[0]) could not be started: \(String(cString: strerror(code)))")
        return identifier
    }

    /// The child's program, which the build puts beside the tests.
    private static func executable() throws -> String {
        var candidates = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()].compactMap {
            $0
        }
        candidates += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        for directory in candidates {
            let path = directory.appendingPathComponent("CrashChild").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw CrashFailure("the program CrashChild is in none of \(candidates.map(\.path))")
    }

    // MARK: Its end

    var isRunning: Bool {
        reap(WNOHANG)
        return status == nil
    }

    private func reap(_ options: Int32) {
        while status == nil {
            var found: Int32 = 0
            let result = waitpid(identifier, &found, options)
            if result == identifier { status = found }
            if result == 0 || result < 0 && errno != EINTR { return }
        }
    }

    /// Waits until the journal says so; polls, as nobody could tell.
    /// - Throws: ``CrashFailure`` where the child ends by itself before, or hangs: nothing that it does takes minutes.
    func wait(until condition: (CrashJournal) -> Bool) throws {
        let start = ContinuousClock.now
        while !condition(journal) {
            // What it did last counts, even if it has ended.
            if !isRunning, !condition(journal) { throw CrashFailure("the child ended by itself: " + ending()) }
            if ContinuousClock.now - start > .seconds(120) {
                kill()
                throw CrashFailure(
                    "the child hung in phase \(journal.phase), after \(journal.refusals) refusals for want of space")
            }
            usleep(100)
        }
    }

    /// Kills the child and waits until it is gone.
    func kill() {
        guard isRunning else { return }
        #if canImport(Darwin)
        Darwin.kill(identifier, SIGKILL)
        #else
        Glibc.kill(identifier, SIGKILL)
        #endif
        reap(0)
    }

    /// Waits until the child has ended by itself, in good order.
    func waitUntilClosed() throws {
        try wait { $0.phase == .closed }
        try waitForSuccess()
    }

    /// Waits for the end of a child that is about to end.
    func waitForSuccess() throws {
        reap(0)
        try CrashFailure.require(status == 0, "the child ended badly: " + ending())
    }

    /// Throws where the child, found dead, was not killed by this process but ended by an error or a trap of its own.
    func checkKilled() throws {
        reap(0)
        let signal = (status ?? 0) & 0x7f
        try CrashFailure.require(status == 0 || signal == SIGKILL, "the child ended by itself: " + ending())
    }

    /// How it ended, and what it said.
    private func ending() -> String {
        reap(0)
        let text = FileManager.default.contents(atPath: errorPath).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return "status \(status.map { String($0, radix: 16) } ?? "unknown"): \(text)"
    }
}
