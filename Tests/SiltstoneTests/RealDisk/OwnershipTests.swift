import Foundation
import Siltstone
import Synchronization
import Testing

@testable import CrashChild

/// One owner at a time, and what happens when it dies: with processes of their own, on real files.
struct OwnershipTests {
    /// A directory for a store, and children that hold it.
    private final class Fixture {
        let directory: String
        var store: String { directory + "/store" }

        init() throws {
            directory = FileManager.default.temporaryDirectory.path + "/siltstone-owner-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }

        deinit { do { try FileManager.default.removeItem(atPath: directory) } catch { Issue.record(error) } }

        /// A child that has the store open.
        func holder(forks: Bool = false) throws -> CrashChildProcess {
            let journal = try CrashJournal(path: directory + "/journal", isNew: true)
            let child = try CrashChildProcess(
                ["hold", store, directory + "/journal"] + (forks ? ["fork"] : []), journal: journal,
                errors: directory + "/errors")
            try child.wait {
                $0[word: 1].load(ordering: .sequentiallyConsistent) == LockHolder.State.holding.rawValue
            }
            return child
        }

        func tell(_ child: CrashChildProcess, _ command: LockHolder.Command) {
            child.journal[word: 0].store(command.rawValue, ordering: .sequentiallyConsistent)
        }

        /// Opens the store, which must be free, and checks that it holds what its last owner wrote.
        func open(after owner: CrashChildProcess) throws {
            let opened = try KeyValueStore.open(at: store)
            let found = try opened.get(Array("holder".utf8))
            try CrashFailure.require(found == Array(String(owner.identifier).utf8), "what the owner wrote is gone")
            try opened.close()
        }

        /// Opens the store, which must be locked.
        /// - Returns: what the error says.
        func refusal(readOnly: Bool = false) throws -> String {
            var configuration = Configuration()
            configuration.readOnly = readOnly
            do { try KeyValueStore.open(at: store, configuration: configuration).close() } catch {
                try CrashFailure.require(error.code == .locked, "opening throws \(error)")
                return error.message
            }
            throw CrashFailure("a store that is in use could be opened")
        }
    }

    @Test("a second process gets locked, which names the owner, and so does a reader", .comesToAnEnd)
    func second() async throws {
        try await OwnThread.run {
            let fixture = try Fixture()
            let owner = try fixture.holder()
            for readOnly in [false, true] {
                let text = try fixture.refusal(readOnly: readOnly)
                try CrashFailure.require(text.contains("held by process \(owner.identifier);"), "it says: \(text)")
            }
            fixture.tell(owner, .close)
            try owner.wait {
                $0[word: 1].load(ordering: .sequentiallyConsistent) == LockHolder.State.closed.rawValue
            }
            // The owner still runs, but has closed the store.
            try fixture.open(after: owner)
            fixture.tell(owner, .endForked)
            try owner.waitForSuccess()
        }
    }

    @Test("readers share a store, and a writer who meets them is not told of an owner long gone", .comesToAnEnd)
    func readers() async throws {
        try await OwnThread.run {
            let fixture = try Fixture()
            let owner = try fixture.holder()
            owner.kill()
            var configuration = Configuration()
            configuration.readOnly = true
            let readers = try (0..<3).map { _ in try KeyValueStore.open(at: fixture.store, configuration: configuration)
            }
            let text = try fixture.refusal()
            try CrashFailure.require(!text.contains("process \(owner.identifier)"), "it says: \(text)")
            for reader in readers { try reader.close() }
            try fixture.open(after: owner)
        }
    }

    @Test("a process that dies while it holds the lock: the next one opens at once", .comesToAnEnd)
    func death() async throws {
        try await OwnThread.run {
            let fixture = try Fixture()
            for _ in 0..<10 {
                let owner = try fixture.holder()
                owner.kill()
                try fixture.open(after: owner)
            }
        }
    }

    @Test(
        "a forked process that inherits the descriptors does not keep a closed store, and never lets two in",
        .comesToAnEnd)
    func fork() async throws {
        try await OwnThread.run {
            let fixture = try Fixture()
            let owner = try fixture.holder(forks: true)
            fixture.tell(owner, .close)
            try owner.wait {
                $0[word: 1].load(ordering: .sequentiallyConsistent) == LockHolder.State.closed.rawValue
            }
            // The forked process lives, and has a descriptor of the lock.
            try fixture.open(after: owner)
            fixture.tell(owner, .endForked)
            try owner.waitForSuccess()

            // Where the owner dies, the lock lives on in the forked process, and dies with that.
            let second = try fixture.holder(forks: true)
            second.kill()
            _ = try fixture.refusal()
            fixture.tell(second, .endForked)
            let deadline = Date(timeIntervalSinceNow: 60)
            while true {
                do {
                    try fixture.open(after: second)
                    break
                } catch let error as StoreError {
                    guard error.code == .locked, Date() < deadline else { throw error }
                    usleep(1_000)
                }
            }
        }
    }

    @Test(
        "many processes race for the lock: one wins each round, the others are told, and the history is kept",
        .comesToAnEnd)
    func race() async throws {
        let (rounds, deaths) = try await OwnThread.run { try Self.runRace() }
        SuiteScale.report("ownership", ["rounds of six processes": rounds, "owners killed": deaths])
    }

    private static func runRace() throws -> (rounds: Int, deaths: Int) {
        let fixture = try Fixture()
        let contenders = 6
        let journal = try CrashJournal(path: fixture.directory + "/journal", isNew: true)
        func spawn(_ number: Int) throws -> CrashChildProcess {
            try CrashChildProcess(
                ["race", fixture.store, fixture.directory + "/journal", String(number), String(contenders)],
                journal: journal, errors: fixture.directory + "/errors-\(number)")
        }
        func word(_ index: Int) -> UInt64 { journal[word: index].load(ordering: .sequentiallyConsistent) }
        func set(_ index: Int, _ value: UInt64) {
            journal[word: index].store(value, ordering: .sequentiallyConsistent)
        }
        var children = try (0..<contenders).map { try spawn($0) }
        var ready = UInt64(contenders)
        let rounds = SuiteScale.count(15, thorough: 40, long: 1_000)
        var deaths = 0
        for round in 1...rounds {
            for child in children { try child.wait { _ in word(3) >= ready } }
            set(2, 0)
            let deadline = Date(timeIntervalSinceNow: 120)
            set(0, UInt64(round))
            // All of them at once: while one has failed, the winner waits for it.
            while let number = children.indices.first(where: { word(16 + $0) != UInt64(round) }) {
                for child in children where !child.isRunning && UInt64(child.identifier) != word(4) {
                    try child.waitForSuccess()
                }
                try CrashFailure.require(Date() < deadline, "child \(number) hangs in round \(round)")
                usleep(100)
            }
            try CrashFailure.require(word(2) == UInt64(contenders - 1), "round \(round): \(word(2)) were told")
            guard round % 3 == 0, let winner = children.firstIndex(where: { UInt64($0.identifier) == word(4) }) else {
                continue
            }
            try children[winner].checkKilled()
            deaths += 1
            ready += 1
            children[winner] = try spawn(winner)
        }
        for child in children { try child.wait { _ in word(3) >= ready } }
        set(0, .max)
        for child in children { try child.waitForSuccess() }
        let opened = try KeyValueStore.open(at: fixture.store)
        try CrashFailure.require(try opened.get(LockRace.historyKey)?.count == rounds, "rounds are missing")
        try CrashFailure.require(try opened.verify().problems.isEmpty, "verify finds problems")
        try opened.close()
        return (rounds, deaths)
    }

    @Test(
        "a directory that is moved away under an open store: nobody else gets in, errors are thrown, nothing is lost",
        .comesToAnEnd)
    func moved() async throws {
        try await OwnThread.run {
            let fixture = try Fixture()
            let moved = fixture.directory + "/moved"
            let store = try KeyValueStore.open(at: fixture.store, configuration: StoreFixture.small())
            for number in 0..<100 { try store.put(key(number), [1]) }
            try FileManager.default.moveItem(atPath: fixture.store, toPath: moved)
            let code = StoreError.Code.of { try KeyValueStore.open(at: moved).close() }
            try CrashFailure.require(code == .locked, "a moved store that is in use: \(String(describing: code))")
            try store.put(key(100), [1])
            try CrashFailure.require(try store.get(key(100)) == [1], "reads go on")
            let flushed = StoreError.Code.of { try store.flush() }
            try CrashFailure.require(flushed != nil, "a flush into nowhere succeeds")
            let closed = StoreError.Code.of { try store.close() }
            try CrashFailure.require(closed == nil || closed == .inputOutput, "closing: \(String(describing: closed))")
            let again = try KeyValueStore.open(at: moved)
            try CrashFailure.require(try again.allEntries().map(\.key) == (0...100).map { key($0) }, "keys are missing")
            try CrashFailure.require(try again.verify().problems.isEmpty, "verify finds problems")
            try again.close()
        }
    }

    /// Removes a directory in which files may still come and go.
    private func remove(_ path: String) throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while FileManager.default.fileExists(atPath: path) {
            do { try FileManager.default.removeItem(atPath: path) } catch { if Date() > deadline { throw error } }
        }
    }

    @Test(
        "a directory that is removed under an open store: no trap, reads go on, what needs a file throws", .comesToAnEnd
    )
    func removed() async throws {
        try await OwnThread.run {
            for (access, writing) in [(FileAccess.mapped, LogWriting.mapped), (.read, .written)] {
                let fixture = try Fixture()
                var configuration = StoreFixture.small()
                (configuration.access, configuration.logWriting) = (access, writing)
                configuration.largeValueBytes = 1_000
                let store = try KeyValueStore.open(at: fixture.store, configuration: configuration)
                for number in 0..<2_000 { try store.put(key(number), [UInt8](repeating: 1, count: number)) }
                try store.flush()
                try remove(fixture.store)
                for number in stride(from: 0, to: 2_000, by: 50) {
                    try CrashFailure.require(try store.get(key(number))?.count == number, "reads go on")
                }
                var code: StoreError.Code?
                for number in 0..<20_000 where code == nil {
                    code = StoreError.Code.of { try store.put(key(number), [UInt8](repeating: 2, count: 900)) }
                }
                // Background work may have noticed first; the store then refuses writes.
                try CrashFailure.require(
                    code == .inputOutput || code == .refusesWrites, "puts end with \(String(describing: code))")
                _ = StoreError.Code.of { try store.compact() }
                _ = StoreError.Code.of { try store.verify() }
                _ = StoreError.Code.of { try store.checkpoint(to: fixture.directory + "/checkpoint") }
                _ = StoreError.Code.of { try store.close() }
            }
        }
    }
}
