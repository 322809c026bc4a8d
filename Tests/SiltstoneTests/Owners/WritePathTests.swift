import Dispatch
import Foundation
import SiltstoneTesting
import Synchronization
import Testing

@testable import Siltstone

/// The write path alone, with nobody who does its background work, or with a test in its place.
struct WritePathTests {
    @Test("a change is in the log and visible when it returns, and durable once it was waited for", .comesToAnEnd)
    func change() throws {
        let fixture = try OwnerFixture()
        let writes = fixture.makeWrites()
        #expect(try writes.put("a", [1]) == 1)
        #expect(try writes.reads.get("a") == [1])
        let log = try #require(writes.lock.withLock { writes.state.active.log })
        #expect(log.end > log.syncedEnd)
        try writes.waitUntilDurable(1, .buffered)
        #expect(log.end > log.syncedEnd)
        try writes.waitUntilDurable(1, .synced)
        #expect(log.end == log.syncedEnd)
    }

    @Test("small changes are slowed for all their bytes, between two checks of the memtable's room, too", .comesToAnEnd)
    func smallChangesSlowed() throws {
        let writes = try OwnerFixture().makeWrites()
        writes.lock.withLock { writes.state.controller.update(flushedRuns: WriteController.boundRuns) }
        let delay = writes.lock.withLock { Double(writes.state.controller.delay) }
        for number in 0..<40 { _ = try writes.put("key \(number)", [UInt8](repeating: 1, count: 900)) }
        let owed = delay * 40 * 900 / 1024 * 1e-9
        // Less than a millisecond stays owed.
        #expect(writes.report.counts.slowdownSeconds > owed - 0.001)
    }

    @Test(
        "a full memtable asks for a log and for a flush; a writer that must not block is told, and nothing is lost",
        .comesToAnEnd)
    func full() throws {
        let writes = try OwnerFixture().makeWrites()
        let logs = Atomic(0)
        let flushes = Atomic(0)
        writes.background.value.nextLog = { logs.add(1, ordering: .relaxed) }
        writes.background.value.flush = { flushes.add(1, ordering: .relaxed) }
        var written = 0
        while try writes.put("key \(written)", [UInt8](repeating: 1, count: 500), mayBlock: false) != nil {
            written += 1
        }
        #expect(written > 50 && logs.load(ordering: .relaxed) == 1 && flushes.load(ordering: .relaxed) == 0)
        writes.prepareLog()
        #expect(try writes.put("one more", [1], mayBlock: false) != nil)
        #expect(flushes.load(ordering: .relaxed) == 1)
        #expect(writes.tables.count == 2 && writes.report.counts.changes == written + 1)
        for number in 0..<written {
            #expect(try writes.reads.get("key \(number)") == [UInt8](repeating: 1, count: 500))
        }
        let sealed = try #require(writes.beginFlush())
        #expect(sealed.table.entryCount == written)
    }

    @Test("a writer waits for room, and is woken by the end of the work or by its failure", .comesToAnEnd)
    func waits() throws {
        let writes = try OwnerFixture { $0.sealedMemTableLimit = 1 }.makeWrites()
        let queue = DispatchQueue(label: "background work")
        writes.background.value.nextLog = { queue.async { writes.prepareLog() } }
        writes.background.value.flush = {
            queue.async {
                if writes.beginFlush() != nil { writes.failFlush(StoreError(.noSpace, "the disk is full")) }
            }
        }
        var code: StoreError.Code?
        for number in 0..<1000 where code == nil {
            code = StoreError.Code.of { try writes.put("key \(number)", [UInt8](repeating: 1, count: 500)) }
        }
        #expect(code == .noSpace)
        #expect(writes.report.failure?.code == .noSpace && writes.report.counts.stalls > 0)
    }

    @Test(
        "a writer that needs a log is told of failed logs, not of failed flushes while another memtable may be sealed",
        .comesToAnEnd)
    func toldOfItsWork() throws {
        let writes = try OwnerFixture { $0.sealedMemTableLimit = 2 }.makeWrites()
        func isSwitched(since earlier: BackgroundAttempts) throws(StoreError) -> Bool {
            try writes.lock.withLock { () throws(StoreError) in
                try writes.switchMemTable(.nothing, .never, since: earlier)
            }
        }
        let earlier = writes.lock.withLock { writes.state.attempts }
        for number in 0..<2 {
            _ = try writes.put("key \(number)", [1])
            writes.prepareLog()
            #expect(try isSwitched(since: earlier))
            _ = try #require(writes.beginFlush())
            writes.failFlush(StoreError(.noSpace, "the disk is full"))
            if number == 0 { #expect(try !isSwitched(since: earlier)) }
        }
        // Now the next memtable must wait for a flush.
        #expect(StoreError.Code.of { _ = try isSwitched(since: earlier) } == .noSpace)
    }

    @Test("a writer with the lock of values does not wait for a compaction, which may need that lock", .comesToAnEnd)
    func fullLevelZero() throws {
        let writes = try OwnerFixture().makeWrites()
        _ = try writes.put("a", [1])
        writes.prepareLog()
        // Whoever waits for the compaction is woken, and refused.
        writes.background.value.compaction = { DispatchQueue.global().async { writes.refuseWrites() } }
        let isSwitched = try writes.lock.withLock {
            writes.state.controller.update(flushedRuns: WriteController.greatestRuns)
            return try writes.switchMemTable(.nothing, .forFlush, since: writes.state.attempts)
        }
        #expect(isSwitched && writes.tables.count == 2)
    }

    @Test("closing wakes a writer that waits, and refuses it", .comesToAnEnd)
    func closing() throws {
        let fixture = try OwnerFixture()
        let writes = fixture.makeWrites()
        let isWaiting = Atomic(false)
        writes.background.value.nextLog = { isWaiting.store(true, ordering: .relaxed) }
        let codes = Locked<[StoreError.Code?]>([])
        Thread.detachNewThread {
            let code = StoreError.Code.of {
                for number in 0..<10_000 { try writes.put("key \(number)", [UInt8](repeating: 1, count: 500)) }
            }
            codes.withLock { $0.append(code) }
        }
        try waitUntil("the writer asks for a log") { isWaiting.load(ordering: .relaxed) }
        writes.refuseWrites()
        try waitUntil("the writer ends") { !codes.withLock { $0.isEmpty } }
        #expect(codes.withLock { $0 } == [.closed])
    }

    @Test("on a full disk a writer is refused at once, though a flush is due, and asks for space", .comesToAnEnd)
    func fullDisk() throws {
        let fixture = try OwnerFixture { $0.logWriting = .written }
        let writes = fixture.makeWrites()
        let requests = Atomic(0)
        writes.background.value.space = { requests.add(1, ordering: .relaxed) }
        try writes.put("a", [1])
        writes.prepareLog()
        let isSealed = try writes.lock.withLock { () throws(StoreError) in
            try writes.switchMemTable(.nothing, .never, since: writes.state.attempts)
        }
        #expect(isSealed)
        fixture.disk.setRule { $0.operation == .write && $0.path.hasSuffix(".log") ? .noSpace : nil }
        // Nobody flushes, so a wait would not end.
        for mayBlock in [false, true] {
            #expect(StoreError.Code.of { try writes.put("b", [1], mayBlock: mayBlock) } == .noSpace)
        }
        #expect(requests.load(ordering: .relaxed) == 2)
        fixture.disk.setRule(.none)
        #expect(try writes.put("b", [1]) == 2)
    }

    @Test("a memtable is full of values, too, and a small change that follows seals it", .comesToAnEnd)
    func fullOfValues() throws {
        let fixture = try OwnerFixture {
            $0.memTableBytes = 4 << 20
            $0.valueFileBytes = 1 << 20
        }
        let writes = fixture.makeWrites()
        for number in 0..<2 {
            try writes.put("key \(number)", [UInt8](repeating: 1, count: 200_000))
            #expect(writes.tables.count == 1)
        }
        writes.prepareLog()
        try writes.put("small", [1])
        #expect(writes.tables.count == 2 && writes.tables[1].valueBytes == 0)
    }

    @Test(
        "a commit that must not block gives up if its check must be repeated, which may read from the disk",
        .comesToAnEnd)
    func outdatedCheck() throws {
        let writes = try OwnerFixture().makeWrites()
        try writes.put("a", [1])
        try writes.put("b", [1])
        // As if the changes were in a segment.
        writes.lock.withLock { writes.state.flushedSequence = 2 }
        var reads = ReadSet()
        withContiguousBytes(Array("c".utf8)) { reads.insert($0) }
        var batch = WriteBatch()
        batch.put(Array("d".utf8), [1])
        func commit(mayBlock: Bool) throws(StoreError) -> SequenceNumber? {
            try writes.commit(batch, CommitCheck(reads.mergingScans(), since: 1), mayBlock: mayBlock)
        }
        #expect(try commit(mayBlock: false) == nil)
        #expect(try commit(mayBlock: true) == 3)
    }

    @Test("a check that finds a conflict stops its batch under the lock", .comesToAnEnd)
    func conflict() throws {
        let writes = try OwnerFixture().makeWrites()
        try writes.put("a", [1])
        var reads = ReadSet()
        withContiguousBytes(Array("a".utf8)) { reads.insert($0) }
        var batch = WriteBatch()
        batch.put(Array("b".utf8), [1])
        let code = StoreError.Code.of { _ = try writes.commit(batch, CommitCheck(reads.mergingScans(), since: 0)) }
        #expect(code == .conflict)
        #expect(writes.report.counts.conflicts == 1)
        #expect(try writes.commit(batch, CommitCheck(reads.mergingScans(), since: 1)) == 2)
    }
}
