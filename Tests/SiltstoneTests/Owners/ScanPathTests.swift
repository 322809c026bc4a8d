import Synchronization
import Testing

@testable import Siltstone

/// Scans alone: the pool, and the ranges that scans have found deleted.
struct ScanPathTests {
    private func count(_ path: ScanPath) throws -> Int {
        try path.makeIterator(at: nil, from: nil, to: nil, reverse: false, limit: nil).count()
    }

    @Test("a scan is kept for the next one, as long as its super version is current", .comesToAnEnd)
    func pool() throws {
        let reads = try OwnerFixture().makeReads()
        let path = ScanPath(reads)
        reads.publish([try OwnerFixture.table("a", [1], 1)], .empty)
        reads.makeVisible(1)
        #expect(try count(path) == 1)
        let (scan, sequence) = path.take()
        #expect(sequence == 1)
        path.give(scan)
        let (again, _) = path.take()
        #expect(again == scan)
        reads.publish([try OwnerFixture.table("b", [1], 2), try OwnerFixture.table("a", [1], 1)], .empty)
        weak let outdated = again.object
        path.give(again)
        #expect(outdated == nil, "it is outdated")
        reads.makeVisible(2)
        #expect(try count(path) == 2)
        path.superVersionChanged()
    }

    @Test("a scan that passed many deleted entries adds their range, if the write lock is free", .comesToAnEnd)
    func deleted() throws {
        let path = ScanPath(try OwnerFixture().makeReads())
        func add(_ count: Int) {
            var run = DeletedRun(.forward)
            Array("a".utf8).withBytes { run.pass(count, $0, through: $0) }
            path.add(run, seen: 9)
        }
        add(DeletedRangeSet.fewestRecords)
        #expect(!path.deletedRanges.hasRanges, "nobody has set the lock")
        path.ifWriteLockIsFree.value = { body in body(5) }
        add(DeletedRangeSet.fewestRecords - 1)
        #expect(!path.deletedRanges.hasRanges)
        add(DeletedRangeSet.fewestRecords)
        #expect(path.deletedRanges.hasRanges)
    }
}
