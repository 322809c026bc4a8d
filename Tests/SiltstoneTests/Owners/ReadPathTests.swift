import Dispatch
import Synchronization
import Testing

@testable import Siltstone

/// The read path alone: reads see what was published, up to the visible sequence number.
struct ReadPathTests {
    @Test("a read sees what was published, up to the visible number or the one that it asks for", .comesToAnEnd)
    func visibility() throws {
        let fixture = try OwnerFixture()
        let reads = fixture.makeReads()
        #expect(try reads.get("a") == nil)
        let (old, new) = (try OwnerFixture.table("a", [1], 1), try OwnerFixture.table("a", [2], 2))
        reads.publish([new, old], .empty)
        #expect(try reads.get("a") == nil, "nothing is visible yet")
        reads.makeVisible(1)
        #expect(try reads.get("a") == [1])
        reads.makeVisible(2)
        #expect(try reads.get("a") == [2])
        #expect(try reads.get("a", at: 1) == [1])
        #expect(try reads.get("b") == nil)
    }

    @Test("a replaced super version lives as long as a read of it, and no longer", .comesToAnEnd)
    func retirement() throws {
        let reads = try OwnerFixture().makeReads()
        weak var replaced: MemTable?
        func pinned() throws -> PinnedValue {
            let table = try OwnerFixture.table("a", [1, 2, 3], 1)
            replaced = table
            reads.publish([table], .empty)
            reads.makeVisible(1)
            return withContiguousBytes(Array("a".utf8)) { reads.pin($0) }
        }
        let value = try pinned()
        reads.publish([try OwnerFixture.table("a", [4], 2)], .empty)
        reads.superVersions.retire()
        #expect(replaced != nil)
        #expect(value.value.map { Array($0) } == [1, 2, 3])
        reads.unpin(value)
        HazardPointers.retirementQueue.sync {}
        #expect(replaced == nil)
    }

    @Test("many reads that are outdated by a range tombstone ask for a new super version", .comesToAnEnd)
    func outdated() throws {
        let reads = try OwnerFixture().makeReads()
        let table = try OwnerFixture.table("a", [1], 1)
        reads.publish([table], .empty)
        reads.makeVisible(2)
        let requests = Atomic(0)
        reads.republish.value = { _ in
            requests.add(1, ordering: .relaxed)
            reads.forgetOutdatedReads()
            reads.publish([table], .empty)
        }
        withContiguousBytes(Array("a".utf8)) { from in
            withContiguousBytes(Array("b".utf8)) { table.insertRangeTombstone(start: from, end: $0, sequence: 2) }
        }
        for _ in 0..<100 { #expect(try reads.get("a") == nil) }
        #expect(requests.load(ordering: .relaxed) == 1)
        reads.republish.value = { _ in }
    }

    @Test("reads of a closed store throw, by each way of reading", .comesToAnEnd)
    func closed() async throws {
        let fixture = try OwnerFixture()
        let reads = fixture.makeReads()
        reads.publish([try OwnerFixture.table("a", [1], 1)], .empty)
        reads.makeVisible(1)
        fixture.status.stop()
        #expect(StoreError.Code.of { _ = try reads.get("a") } == .closed)
        #expect(StoreError.Code.of { _ = try reads.estimate(KeyRange()) } == .closed)
        var code: StoreError.Code?
        do { _ = try await reads.copyValues(of: [Array("a".utf8)], at: 1) } catch { code = error.code }
        #expect(code == .closed)
    }

    @Test("a snapshot is registered at what is visible, and only as long as it is held", .comesToAnEnd)
    func snapshots() throws {
        let reads = try OwnerFixture().makeReads()
        reads.makeVisible(7)
        let number = reads.registerSnapshot()
        #expect(number == 7 && reads.snapshots.live() == [7])
        reads.snapshots.release(number)
        #expect(reads.snapshots.live().isEmpty)
    }
}
