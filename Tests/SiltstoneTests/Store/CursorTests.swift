import SiltstoneTesting
import Testing

@testable import Siltstone

struct CursorTests {
    private func filled(_ fixture: StoreFixture, _ configuration: Configuration) throws -> KeyValueStore {
        let store = try fixture.open(configuration)
        for number in 0..<2000 { try store.put(key(number), Array("value \(number)".utf8)) }
        return store
    }

    @Test(
        "a cursor gives exactly its snapshot over flushes and compactions that replace all its files",
        arguments: [FileAccess.mapped, .read], [true, false])
    func outlivesFiles(_ access: FileAccess, _ reverse: Bool) throws {
        var configuration = StoreFixture.small()
        configuration.access = access
        configuration.cacheBytes = access == .read ? 0 : 1 << 20
        let fixture = try StoreFixture(onDisk: ())
        let store = try filled(fixture, configuration)
        try store.flush()
        let cursor = try store.scan(reverse: reverse)
        var seen: [Entry] = []
        for _ in 0..<100 { seen.append(try #require(try cursor.next())) }
        // Everything that the cursor reads is overwritten or removed, and its files are compacted away.
        for number in 0..<2000 { try store.put(key(number), Array("new".utf8)) }
        try store.deleteRange(from: key(500), to: key(1500))
        try store.flush()
        try store.compact()
        for number in 0..<2000 { try store.delete(key(number)) }
        try store.compact()
        #expect(try store.allEntries().isEmpty)
        seen += try cursor.remaining()
        let expected = (0..<2000).map { Entry(key: key($0), value: Array("value \($0)".utf8)) }
        #expect(seen == (reverse ? expected.reversed() : expected))
        try store.close()
    }

    @Test("a scan does not read what was removed behind its end", arguments: [true, false])
    func removedBehindTheEnd(_ reverse: Bool) throws {
        var configuration = StoreFixture.small()
        configuration.access = .read
        configuration.cacheBytes = 0
        configuration.automaticCompaction = false
        configuration.memTableBytes = 4 << 20
        let disk = FaultInjectingFileSystem()
        let store = try StoreFixture(disk).open(configuration)
        let keys = 0..<20_000
        for number in keys { try store.put(key(number), [1]) }
        try store.flush()
        for number in keys { try store.delete(key(number)) }
        try store.flush()
        let before = disk.callCount
        let cursor = try store.scan(from: key(10_000), to: key(10_001), reverse: reverse)
        #expect(try cursor.next() == nil)
        #expect(disk.callCount - before < 10)
        try store.close()
    }

    @Test("a cursor that was opened and not used yet gives the snapshot of its opening")
    func unused() throws {
        let store = try filled(StoreFixture(), StoreFixture.small())
        let cursor = try store.scan()
        try store.deleteRange(from: key(0), to: key(3000))
        try store.compact()
        #expect(try cursor.remaining().count == 2000)
        try store.close()
    }

    @Test("a cursor goes on after its snapshot was released, and a released snapshot refuses reads")
    func released() throws {
        let store = try filled(StoreFixture(), StoreFixture.small())
        let snapshot = store.snapshot()
        let cursor = try snapshot.scan()
        snapshot.release()
        try store.deleteRange(from: key(0), to: key(3000))
        try store.compact()
        #expect(try cursor.remaining().count == 2000)
        #expect(StoreError.Code.of { try snapshot.get(key(1)) } == .closed)
        #expect(StoreError.Code.of { try snapshot.scan() } == .closed)
        #expect(store.statistics.snapshots == 0)
        try store.close()
    }

    @Test("snapshots taken between changes of one key see each its own value, whatever is compacted")
    func versions() throws {
        let store = try StoreFixture().open()
        var snapshots: [Snapshot] = []
        for number in 0..<50 {
            try store.put("key".utf8, Array("\(number)".utf8))
            snapshots.append(store.snapshot())
            if number % 7 == 0 { try store.flush() }
            if number % 20 == 0 { try store.compact() }
        }
        try store.delete("key".utf8)
        try store.compact()
        for (number, snapshot) in snapshots.enumerated() {
            #expect(try snapshot.get("key".utf8) == Array("\(number)".utf8))
            #expect(try snapshot.scan().remaining().map(\.value) == [Array("\(number)".utf8)])
            #expect(try snapshot.scan(reverse: true).remaining().map(\.value) == [Array("\(number)".utf8)])
        }
        #expect(try store.get("key".utf8) == nil)
        try store.close()
    }

    @Test("forEach stops when it is told to, and hands on what its closure throws")
    func stopping() throws {
        struct Stop: Error {}
        let store = try filled(StoreFixture(), StoreFixture.small())
        var count = 0
        try store.forEach { _, _ in
            count += 1
            return count < 7
        }
        #expect(count == 7)
        #expect(throws: Stop.self) { try store.forEach(prefix: "key".utf8) { _, _ in throw Stop() } }
        #expect(throws: Stop.self) { try store.withValue(key(1)) { _ in throw Stop() } }
        try store.close()
    }

    @Test("an asynchronous sequence gives the same as a cursor, in chunks, both ways")
    func asynchronous() async throws {
        let store = try filled(StoreFixture(), StoreFixture.small())
        for reverse in [false, true] {
            var seen: [Entry] = []
            for try await entry in store.entries(from: key(5), to: key(1500), reverse: reverse, limit: 1000) {
                seen.append(entry)
            }
            #expect(try seen == store.scan(from: key(5), to: key(1500), reverse: reverse, limit: 1000).remaining())
        }
        var count = 0
        for try await _ in store.entries(prefix: "key00000001".utf8) { count += 1 }
        #expect(count == 10)
        try await store.close()
    }
}
