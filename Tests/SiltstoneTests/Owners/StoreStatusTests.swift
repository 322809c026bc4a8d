import Synchronization
import Testing

@testable import Siltstone

/// Whether a store takes reads and writes, and why not.
struct StoreStatusTests {
    private static let failure = StoreError(.inputOutput, "the disk failed", file: "/store/000001.log", offset: 7)

    @Test(
        "the first failure counts; later callers get a refusal, and those who waited the failure itself", .comesToAnEnd)
    func failure() {
        let status = StoreStatus(directory: "/store", isReadOnly: false)
        #expect(throws: Never.self) { try status.checkWritable() }
        status.fail(Self.failure)
        status.fail(StoreError(.corrupt, "something else"))
        #expect(status.failure == Self.failure)
        #expect(StoreError.Code.of { try status.checkWritable() } == .refusesWrites)
        #expect(StoreError.Code.of { try status.checkStillWritable() } == .inputOutput)
        #expect(throws: Never.self, "reads go on") { try status.checkOpen() }
    }

    @Test("a failure wakes writers, but not one that a writer records itself", .comesToAnEnd)
    func wakes() {
        let status = StoreStatus(directory: "/store", isReadOnly: false)
        let wakes = Atomic(0)
        status.whenFailed { wakes.add(1, ordering: .relaxed) }
        status.record(Self.failure)
        #expect(wakes.load(ordering: .relaxed) == 0)
        status.fail(Self.failure)
        #expect(wakes.load(ordering: .relaxed) == 1)
    }

    @Test("a failed sync is recorded as uncertain, even for a full disk", .comesToAnEnd)
    func syncs() {
        let status = StoreStatus(directory: "/store", isReadOnly: false)
        let code = StoreError.Code.of {
            try status.requireSuccess { () throws(StoreError) in throw StoreError(.noSpace, "the disk is full") }
        }
        #expect(code == .inputOutput)
        #expect(status.failure?.code == .inputOutput)
    }

    @Test("a closed store says that it is closed, whatever failed before", .comesToAnEnd)
    func closed() {
        let status = StoreStatus(directory: "/store", isReadOnly: false)
        status.fail(Self.failure)
        status.stop()
        status.close()
        #expect(StoreError.Code.of { try status.checkOpen() } == .closed)
        #expect(StoreError.Code.of { try status.checkWritable() } == .closed)
        #expect(StoreError.Code.of { try status.checkStillWritable() } == .closed)
    }

    @Test("a store that is open for reading only takes no writes", .comesToAnEnd)
    func readOnly() {
        let status = StoreStatus(directory: "/store", isReadOnly: true)
        #expect(StoreError.Code.of { try status.checkWritable() } == .readOnly)
        #expect(throws: Never.self) { try status.checkOpen() }
    }

    @Test("one caller closes, and the others wait for it", .comesToAnEnd)
    func closing() async throws {
        let status = StoreStatus(directory: "/store", isReadOnly: false)
        #expect(!status.isClosing)
        #expect(status.beginClosing())
        #expect(status.isClosing && !status.beginClosing())
        let isReleased = Atomic(false)
        async let waiter = OwnThread.run {
            status.waitForRelease()
            return isReleased.load(ordering: .sequentiallyConsistent)
        }
        isReleased.store(true, ordering: .sequentiallyConsistent)
        status.release()
        #expect(try await waiter)
    }
}
