import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// What keeps old versions from being dropped.
struct SnapshotRegistryTests {
    @Test("who asks for the live snapshots while one reads what is visible waits for it, and is told of it")
    func registering() throws {
        let registry = SnapshotRegistry()
        let group = DispatchGroup()
        let answer = Locked<[SequenceNumber]?>(nil)
        let sequence = registry.register {
            Thread.detachNewThread(in: group) { answer.withLock { $0 = registry.live() } }
            // Time enough for a compaction to begin without this snapshot, were it not kept waiting.
            _ = group.wait(timeout: .now() + .milliseconds(200))
            return 7
        }
        group.wait()
        #expect(sequence == 7 && answer.withLock { $0 } == [7])
    }

    @Test("a number is live until the last snapshot that stands at it is released")
    func counted() {
        let registry = SnapshotRegistry()
        for sequence: SequenceNumber in [9, 4, 9] { _ = registry.register { sequence } }
        #expect(registry.live() == [4, 9] && registry.count == 3)
        registry.release(9)
        #expect(registry.live() == [4, 9] && registry.count == 2)
        registry.release(9)
        #expect(registry.live() == [4])
        registry.release(9)
        registry.release(4)
        #expect(registry.live().isEmpty && registry.count == 0)
    }
}
