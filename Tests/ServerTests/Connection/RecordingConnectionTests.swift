#if SQLite
import Foundation
import Synchronization
import TableKit
import Testing

@testable import SQLiteTables
@testable import TableSQL

@Suite(.timeLimit(.minutes(10))) struct RecordingConnectionTests {
    @Test("an observed read passes every call on to its connection") func forwarding() throws {
        let base = ScriptedConnection()
        let recorder = RecordingConnection(base)
        #expect(recorder.isUsable && recorder.needsCheck)
        recorder.usePlans(ofGeneration: 7)
        _ = try recorder.execute(SQLStatement("SELECT 1", results: [.int64]))
        recorder.cancel()
        recorder.forgetCancellation()
        try recorder.executeWithoutWaiting(SQLStatement("ROLLBACK"))
        recorder.close()
        #expect(
            base.calls == [
                "plans of 7", "SELECT 1", "cancel", "forget cancellation", "without waiting", "ROLLBACK", "close",
            ])
        #expect(recorder.recorded.entries.map(\.statement.text) == ["SELECT 1"])
    }

    @Test("after a cancelled observation, the next user of its SQLite connection waits for another program's lock")
    func cancelledObservation() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/recording-\(UUID().uuidString.prefix(8)).sqlite"
        defer { for end in ["", "-wal", "-shm"] { _ = unlink(path + end) } }
        func connection() throws -> SQLiteConnection {
            try SQLiteConnection(path: path, pragmas: ["journal_mode = WAL"], busyTimeout: 3600)
        }
        let (holder, observer) = (try connection(), try connection())
        let hasStarted = Atomic<Bool>(false)
        let observation = Task {
            try await TaskCancellation.run(on: WorkerThreads(name: "observation")) {
                let current = try #require(TaskCancellation.current)
                // A read that runs when the consumer of the observation ends.
                try current.run(RecordingConnection(observer)) {
                    hasStarted.store(true, ordering: .releasing)
                    while !current.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
                }
            }
        }
        while !hasStarted.load(ordering: .acquiring) { await Task.yield() }
        observation.cancel()
        try await observation.value

        let begin = SQLStatement("BEGIN IMMEDIATE")
        _ = try holder.execute(begin)
        let hasEnded = Atomic<Bool>(false)
        let next = Task {
            try await onThread {
                defer { hasEnded.store(true, ordering: .releasing) }
                _ = try observer.execute(begin)
            }
        }
        while !observer.isWaiting, !hasEnded.load(ordering: .acquiring) { await Task.yield() }
        _ = try holder.execute(SQLStatement("COMMIT"))
        try await next.value
        _ = try observer.execute(SQLStatement("COMMIT"))
    }
}
#endif
