import Foundation
import Siltstone
import Synchronization

/// One of several children that all try to open one store at the same moment, round after round.
///
/// The words of the journal: 0 the number of the round, raised by the parent, 1 children that have the store open, 2
/// children that were told that it is locked, 3 children that are ready, 4 the process that won; from 16 on, for each child, the last round that it has
/// finished.
struct LockRace {
    struct Broken: Error {
        var promise: String
    }

    let store: String
    let journal: CrashJournal
    /// Which of the children this is.
    let number: Int
    let contenders: UInt64

    static let historyKey = Array("history".utf8)

    /// - Parameter line: the program's name, `race`, the store, the journal, which child this is, and of how many.
    init(_ line: [String]) throws {
        guard line.count == 6, let number = Int(line[4]), let contenders = UInt64(line[5]) else {
            throw CrashArguments.Malformed(words: line)
        }
        store = line[2]
        journal = try CrashJournal(path: line[3], isNew: false)
        self.number = number
        self.contenders = contenders
    }

    func run() throws {
        let parent = getppid()
        var last = journal[word: 0].load(ordering: .sequentiallyConsistent)
        journal[word: 3].wrappingAdd(1, ordering: .sequentiallyConsistent)
        while true {
            let round = journal[word: 0].load(ordering: .sequentiallyConsistent)
            if round == last {
                if getppid() != parent { exit(2) }
                usleep(20)
                continue
            }
            if round == .max { return }
            last = round
            try race(round)
            journal[word: 16 + number].store(round, ordering: .sequentiallyConsistent)
        }
    }

    private func race(_ round: UInt64) throws {
        do throws(StoreError) {
            try win(round, try KeyValueStore.open(at: store))
        } catch {
            guard error.code == .locked else { throw error }
            guard error.message.contains("held by process ") else {
                throw Broken(promise: "the owner is named: \(error)")
            }
            journal[word: 2].wrappingAdd(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Notes the round in the store while all others are kept out. Every third winner dies with the store open.
    private func win(_ round: UInt64, _ opened: KeyValueStore) throws(StoreError) {
        if journal[word: 1].wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue != 0 {
            fail("two have the store open")
        }
        journal[word: 4].store(UInt64(getpid()), ordering: .sequentiallyConsistent)
        let history = try opened.get(Self.historyKey) ?? []
        if history.count != Int(round - 1) { fail("round \(round) finds \(history.count) rounds before it") }
        try opened.put(Self.historyKey, history + [UInt8(truncatingIfNeeded: number)])
        while journal[word: 2].load(ordering: .sequentiallyConsistent) < contenders - 1 { usleep(20) }
        journal[word: 1].wrappingSubtract(1, ordering: .sequentiallyConsistent)
        if round % 3 == 0 {
            journal[word: 16 + number].store(round, ordering: .sequentiallyConsistent)
            kill(getpid(), SIGKILL)
        }
        try opened.close()
    }

    private func fail(_ promise: String) {
        FileHandle.standardError.write(Data((promise + "\n").utf8))
        exit(1)
    }
}
