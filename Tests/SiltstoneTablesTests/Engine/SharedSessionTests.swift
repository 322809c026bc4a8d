import Foundation
import Siltstone
import Testing

@testable import SiltstoneTables
@testable import TableKit

/// The session of a transaction that several tasks share.
struct SharedSessionTests {
    /// Waits without a thread.
    private func wait(_ isMet: () -> Bool) async { while !isMet() { await Task.yield() } }

    @Test("nested transactions begin and end without a thread of the pool while a statement uses the session")
    func nested() async throws {
        let (_, engine) = try makeEngine()
        let shared = SharedSession(try await engine.begin(.serial))
        let outer = TransactionScope(engine, shared)
        shared.open(outer)

        // A statement that goes on until all tasks have begun, or until they evidently cannot.
        let (isRunning, isInTime) = (Locked(false), Locked<Bool?>(nil))
        let haveBegun = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let result = Result {
                try shared.use(outer, isChange: false) { _ in
                    isRunning.withLock { $0 = true }
                    return haveBegun.wait(timeout: .now() + 1_200) == .success
                }
            }
            isInTime.withLock { $0 = (try? result.get()) ?? false }
        }
        await wait { isRunning.withLock { $0 } }

        // More tasks than the pool has threads.
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
        // Kept: a scope is known by its address.
        let scopes = (0..<count).map { _ in TransactionScope(engine, shared) }
        let begun = Locked(0)
        let opened = await withTaskGroup(of: Int.self) { group in
            for (number, scope) in scopes.enumerated() {
                // Of a high priority, because tasks of the same one begin after all other tests that wait for the pool.
                group.addTask(priority: .high) {
                    let isLast = begun.withLock { begun in
                        begun += 1
                        return begun == count
                    }
                    if isLast { haveBegun.signal() }
                    do {
                        if number % 2 == 0 {
                            _ = try await shared.open(scope, in: outer, on: engine)
                            return 1
                        }
                        try await shared.close(scope, on: engine)
                    } catch {
                        // A nested transaction of another task is open, or this one is not.
                    }
                    return 0
                }
            }
            return await group.reduce(0, +)
        }
        await wait { isInTime.withLock { $0 } != nil }
        #expect(isInTime.withLock { $0 } == true)
        #expect(opened == 1)
        await shared.rollback(on: engine)
        // The transaction lock is free again.
        try engine.change { _ = try $0.tables() }
    }
}
