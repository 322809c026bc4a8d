import Foundation
import Siltstone
import Synchronization

// Swift forbids the function, as a forked process of several threads can do next to nothing; sleeping it can.
@_silgen_name("fork")
private func systemFork() -> pid_t

/// A child that opens a store, keeps it for as long as it is told to, and may have processes of its own meanwhile.
///
/// The words of the journal: 0 what it is to do, 1 what it has come to, 2 the process that it has forked.
struct LockHolder {
    /// What the parent asks for.
    enum Command: UInt64 {
        case hold, close, endForked
    }

    /// How far the child has come.
    enum State: UInt64 {
        case starting, holding, closed
    }

    let store: String
    let journal: CrashJournal
    let forks: Bool

    /// - Parameter line: the program's name, `hold`, the store, the journal, and `fork` where it is to fork a process
    ///   that goes on without exec.
    init(_ line: [String]) throws {
        guard line.count >= 4 else { throw CrashArguments.Malformed(words: line) }
        store = line[2]
        journal = try CrashJournal(path: line[3], isNew: false)
        forks = line.count > 4 && line[4] == "fork"
    }

    func run() throws {
        let parent = getppid()
        let opened = try KeyValueStore.open(at: store)
        try opened.put(Array("holder".utf8), Array(String(getpid()).utf8))
        if forks { fork() }
        set(1, State.holding.rawValue)
        while command == .hold {
            if getppid() != parent { exit(2) }
            usleep(500)
        }
        try opened.close()
        set(1, State.closed.rawValue)
        while command != .endForked, getppid() == parent { usleep(500) }
    }

    private var command: Command {
        Command(rawValue: journal[word: 0].load(ordering: .sequentiallyConsistent)) ?? .hold
    }

    private func set(_ index: Int, _ value: UInt64) {
        journal[word: index].store(value, ordering: .sequentiallyConsistent)
    }

    /// Makes a process that inherits every descriptor. It waits for its end, a minute at most.
    private func fork() {
        let forked = systemFork()
        if forked == 0 {
            for _ in 0..<120_000 where command != .endForked { usleep(500) }
            _exit(0)
        }
        set(2, UInt64(forked))
    }
}
