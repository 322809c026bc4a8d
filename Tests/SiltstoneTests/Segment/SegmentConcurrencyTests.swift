import Dispatch
import Synchronization
import Testing

@testable import Siltstone

struct SegmentConcurrencyTests {
    @Test("Several threads read one segment and get the same, with every kind of access", arguments: 0..<6)
    func readers(shape: Int) throws {
        let (options, access) = SegmentRoundTripTests.shapes[shape]
        let fixture = try SegmentFixture(RandomRecords.make(1500, seed: 77), options: options)
        let reader = try fixture.open(access, cache: BlockCache(capacity: 30_000))
        let newest = fixture.visible(.greatest)
        let failures = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                for record in newest where try reader.lookup(record.key) != record {
                    failures.add(1, ordering: .relaxed)
                }
                var cursor = SegmentCursor(reader)
                try cursor.seek(nil, backward: thread % 2 == 1)
                let found =
                    try thread % 2 == 1
                    ? cursor.restBackward(.greatest, limit: 50).reversed() : cursor.rest(.greatest, limit: 50)
                if found != newest { failures.add(1, ordering: .relaxed) }
            } catch {
                failures.add(1, ordering: .relaxed)
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }
}
