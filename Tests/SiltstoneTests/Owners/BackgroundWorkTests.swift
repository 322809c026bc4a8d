import Dispatch
import SiltstoneTesting
import Testing

@testable import Siltstone

/// Background work on a write path, without an engine.
struct BackgroundWorkTests {
    private func end(_ work: BackgroundWork) {
        work.status.stop()
        work.writes.refuseWrites()
        for queue in work.queues { queue.sync {} }
        work.writes.retire()
        work.reference.clear()
    }

    @Test("what writers ask for is done: logs, flushes, compactions", .comesToAnEnd)
    func requests() throws {
        let fixture = try OwnerFixture()
        let work = BackgroundWork(fixture.makeWrites())
        for number in 0..<4000 { try work.writes.put("key \(number)", [UInt8](repeating: 1, count: 500)) }
        try work.writes.flush()
        try waitUntil("a compaction") { work.counts.compactions + work.counts.trivialMoves > 0 }
        #expect(work.counts.flushes > 10 && work.counts.flushedBytes > 0)
        for number in stride(from: 0, to: 4000, by: 7) {
            #expect(try work.reads.get("key \(number)") == [UInt8](repeating: 1, count: 500))
        }
        end(work)
        let logs = try fixture.names().filter { $0.hasSuffix(".log") }
        #expect(logs.count <= 3, "flushed logs are gone")
    }

    @Test("a flush that fails is told to the writer that waits for it, and leaves no segment", .comesToAnEnd)
    func failure() throws {
        let fixture = try OwnerFixture()
        let work = BackgroundWork(fixture.makeWrites())
        try work.writes.put("a", [1])
        fixture.disk.setRule { $0.path.hasSuffix(".segment") && $0.operation == .write ? .noSpace : nil }
        #expect(StoreError.Code.of { try work.writes.flush() } == .noSpace)
        // A second attempt may be scheduled, and hold a segment while it fails.
        work.flushQueue.sync {}
        #expect(try !fixture.names().contains { $0.hasSuffix(".segment") })
        fixture.disk.setRule(.none)
        try work.writes.flush()
        #expect(work.counts.flushes == 1 && work.versions.current.runs.count == 1)
        #expect(try work.reads.get("a") == [1])
        end(work)
    }

    @Test(
        "of the segments that nobody has made ready for reading, those are kept in mind that are still there",
        .comesToAnEnd)
    func unpreloaded() throws {
        // Never idle, so that none is made ready.
        let fixture = try OwnerFixture { $0.tidiesWhenIdle = false }
        let work = BackgroundWork(fixture.makeWrites())
        for _ in 0..<8 {
            for number in 0..<100 { try work.writes.put("key \(number)", [UInt8](repeating: 1, count: 500)) }
            try work.writes.flush()
        }
        try waitUntil("a merge") { work.counts.compactions > 0 }
        end(work)
        let present = Set(work.versions.current.allSegments.map(\.info.number))
        let kept = work.takeUnpreloadedSegments()
        #expect(!kept.isEmpty && kept == present)
    }

    @Test("a requested compaction leaves one run, and moves values out of files that are mostly garbage", .comesToAnEnd)
    func compaction() throws {
        let fixture = try OwnerFixture { configuration in
            configuration.automaticCompaction = false
            configuration.largeValueBytes = 1000
        }
        let work = BackgroundWork(fixture.makeWrites())
        for round in 0..<3 {
            for number in 0..<30 { try work.writes.put("key \(number)", [UInt8](repeating: UInt8(round), count: 5000)) }
            try work.writes.flush()
        }
        try work.compact(from: nil, to: nil)
        #expect(work.versions.current.runs.count == 1)
        let bytes = work.versions.current.valueFiles.values.reduce(0) { $0 + $1.length.bytes }
        #expect(bytes < 2 * 30 * 5100)
        for number in 0..<30 { #expect(try work.reads.get("key \(number)") == [UInt8](repeating: 2, count: 5000)) }
        end(work)
    }
}
