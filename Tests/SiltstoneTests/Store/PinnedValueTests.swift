import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// Values that reads lend instead of copying them.
struct PinnedValueTests {
    private static let value = [UInt8](repeating: 9, count: 300)

    private func filled(_ store: KeyValueStore) throws {
        for index in 0..<200 { try store.put("key \(index)".utf8, Self.value) }
    }

    @Test(
        "what is lent stays as it is until it is given back, whatever becomes of the store's files",
        arguments: [false, true])
    func stays(_ isFlushed: Bool) throws {
        let fixture = try StoreFixture(onDisk: ())
        let store = try fixture.open()
        try filled(store)
        if isFlushed { try store.compact() }
        try store.withValue("key 7".utf8) { lent in
            for round in 1...3 {
                for index in 0..<200 { try store.put("key \(index)".utf8, [UInt8(round)]) }
                try store.compact()
            }
            #expect(lent.withBytes { Array($0) } == Self.value)
            #expect(try store.get("key 7".utf8) == [3], "a read within")
            #expect(lent.withBytes { Array($0) } == Self.value, "the one within did not end the one around it")
        }
        try store.close()
    }

    /// Whether no read of this thread is under way, as far as that can be told: beside tests that use up the numbers of
    /// threads this one may have none.
    private func isAway(_ store: KeyValueStore) -> Bool {
        let reading = store.engine.reads.superVersions.enter()
        defer { store.engine.reads.superVersions.leave(reading) }
        return reading.outer == 0 || ThreadNumbers.shared.current == nil
    }

    @Test(
        "a read is over when it returns or throws, whatever it finds, of a store or of a snapshot",
        arguments: [false, true])
    func givenBack(_ isFlushed: Bool) throws {
        struct Stop: Error {}
        let store = try StoreFixture().open()
        try filled(store)
        try store.put("large".utf8, [UInt8](repeating: 1, count: 100_000))
        if isFlushed { try store.compact() }
        let snapshot = store.snapshot()
        try store.put("later".utf8, [1])
        for key in ["key 1", "missing", "large", "later"] {
            let isThere = try store.contains(key.utf8)
            #expect(isAway(store))
            #expect(try snapshot.contains(key.utf8) == (isThere && key != "later") && isAway(store))
            #expect(try (store.get(key.utf8) != nil) == isThere && isAway(store))
            #expect(try (snapshot.get(key.utf8) != nil) == (isThere && key != "later") && isAway(store))
            for _ in 0..<2 where isThere {
                #expect(throws: Stop.self) { try store.withValue(key.utf8) { _ in throw Stop() } }
                #expect(isAway(store))
                if key == "later" { continue }
                #expect(throws: Stop.self) { try snapshot.withValue(key.utf8) { _ in throw Stop() } }
                #expect(isAway(store))
            }
        }
        snapshot.release()
        try store.close()
    }

    @Test("a read in a task is over when it returns")
    func givenBackByTasks() async throws {
        let store = try StoreFixture().open()
        try filled(store)
        for key in ["key 1", "missing"] {
            #expect(try await store.get(key.utf8) == (key == "missing" ? nil : Self.value))
        }
        try await store.compact()
        try waitUntil("no read is left") { store.engine.reads.superVersions.replacedCount == 0 }
        try await store.close()
    }

    @Test("a read counts once, also where it takes a longer look")
    func counted() throws {
        let store = try StoreFixture().open()
        try filled(store)
        try store.put("large".utf8, [UInt8](repeating: 1, count: 100_000))
        try store.deleteRange(from: [0], to: [1])
        let before = store.statistics.reads
        _ = try (store.get("key 1".utf8), store.get("large".utf8), store.contains("large".utf8))
        #expect(store.statistics.reads - before == 3)
        try store.close()
    }

    @Test("a missing, a removed and an empty value are told apart, in memory and in a segment")
    func absence() throws {
        let store = try StoreFixture().open()
        try filled(store)
        try store.put("empty".utf8, [])
        try store.put("gone".utf8, [1])
        for isFlushed in [false, true] {
            try store.delete("gone".utf8)
            if isFlushed { try store.flush() }
            #expect(try store.withValue("empty".utf8) { $0.byteCount } == 0)
            #expect(try store.get("empty".utf8) == [] && store.contains("empty".utf8))
            for key in ["gone", "missing"] {
                #expect(try store.withValue(key.utf8) { $0.byteCount } == nil)
                #expect(try store.get(key.utf8) == nil && !store.contains(key.utf8))
            }
        }
        try store.deleteRange(from: Array("key 1".utf8), to: Array("key 2".utf8))
        #expect(try store.get("key 15".utf8) == nil && store.get("key 25".utf8) == Self.value)
        try store.close()
        #expect(throws: StoreError.self) { try store.withValue("empty".utf8) { _ in } }
        #expect(throws: StoreError.self) { try store.contains("empty".utf8) }
    }

    @Test("what is damaged on disk is told, not lent: each key has its value, or the read throws")
    func damage() throws {
        let fixture = try StoreFixture(onDisk: ())
        let store = try fixture.open()
        try filled(store)
        try store.compact()
        try store.close()
        let names = try #require(Platform.entries(of: .init(path: fixture.path))).filter { $0.hasSuffix(".segment") }
        let path = fixture.path + "/" + (try #require(names.first))
        let good = try fixture.fileSystem.open(path, .read).readAll()
        var random = SeededGenerator(3)
        var (right, told) = (0, 0)
        for _ in 0..<60 {
            var bad = good
            bad[random.index(bad.count)] ^= 1 << UInt8(random.index(8))
            try fixture.fileSystem.remove(path)
            try fixture.fileSystem.open(path, .createNew).writeFully(bad, at: 0)
            do {
                let store = try fixture.open()
                // The second time by what the first one has checked.
                for index in (0..<400).map({ $0 % 200 }) {
                    do {
                        #expect(try store.get("key \(index)".utf8) == Self.value)
                        right += 1
                    } catch {
                        #expect(error.code == .corrupt)
                        told += 1
                    }
                }
                try store.close()
            } catch { #expect(error.code == .corrupt) }
        }
        #expect(right > 1000 && told > 100)
    }

    @Test("more threads than have numbers of their own lend at once, and give back")
    func manyThreads() throws {
        let store = try StoreFixture().open()
        try filled(store)
        let count = ThreadNumbers.limit + 44
        let (lent, mayGo, done) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        for index in 0..<count {
            Thread.detachNewThread {
                let bytes = try? store.withValue("key \(index % 200)".utf8) { value in
                    lent.signal()
                    mayGo.wait()
                    return value.withBytes { Array($0) }
                }
                #expect(bytes == Self.value)
                done.signal()
            }
        }
        for _ in 0..<count { lent.wait() }
        let superVersions = store.engine.reads.superVersions
        // Those that were replaced while the readers began, and the current one.
        let most = superVersions.replacedCount + 1
        for _ in 0..<10 {
            try filled(store)
            try store.flush()
        }
        try waitUntil("only what the readers use is left") { superVersions.replacedCount <= most }
        for _ in 0..<count { mayGo.signal() }
        for _ in 0..<count { done.wait() }
        try waitUntil("nobody reads any more") { superVersions.replacedCount == 0 }
        try store.close()
    }

    /// An object, weakly.
    private struct Weak<Object: AnyObject> {
        weak var object: Object?
    }

    @Test(
        "a closure that blocks keeps the memtables and files of its read, and nothing that came after",
        arguments: [false, true])
    func blocked(_ isFlushed: Bool) throws {
        var configuration = StoreFixture.small()
        configuration.memTableBytes = 1 << 20
        configuration.tidiesWhenIdle = false
        let store = try StoreFixture().open(configuration)
        try filled(store)
        if isFlushed { try store.compact() }
        let superVersions = store.engine.reads.superVersions
        // Background work may hold a super version for a moment.
        var (tables, segments): ([Weak<MemTable>], [Weak<SegmentReader>]) = ([], [])
        func note() {
            let (version, current) = store.engine.writes.contents
            tables += current.map { Weak(object: $0.table) }
            segments += version.allSegments.map { Weak(object: $0) }
        }
        func live() -> (tables: Int, segments: Int) {
            let current = superVersions.current()
            let others = tables.compactMap(\.object).filter { table in !current.tables.contains { $0 === table } }
            let files = segments.compactMap(\.object).filter { file in
                !current.version.allSegments.contains { $0 === file }
            }
            return (Set(others.map { ObjectIdentifier($0) }).count, Set(files.map { ObjectIdentifier($0) }).count)
        }
        note()
        let read = superVersions.current().version.allSegments.count
        try store.withValue("key 7".utf8) { lent in
            for round in 1...20 {
                for index in 0..<200 { try store.put("key \(index)".utf8, [UInt8(round)]) }
                note()
                try store.flush()
                note()
            }
            try store.compact()
            try waitUntil("only what the read uses is left beside the current super version") {
                live() == (tables: 1, segments: read) && superVersions.replacedCount == 1
            }
            #expect(lent.withBytes { Array($0) } == Self.value)
        }
        try waitUntil("it goes with the read") {
            live() == (tables: 0, segments: 0) && superVersions.replacedCount == 0
        }
        try store.close()
    }

    @Test("a closure may close the store, and drop the last reference to it", arguments: [false, true])
    func closed(_ isFlushed: Bool) throws {
        var store: KeyValueStore? = try StoreFixture().open()
        if let store {
            try filled(store)
            if isFlushed { try store.compact() }
        }
        weak let segment = store?.engine.versions.current.allSegments.first
        #expect(segment != nil || !isFlushed)
        try store?.withValue("key 7".utf8) { lent in
            try store?.close()
            store = nil
            #expect(lent.withBytes { Array($0) } == Self.value)
        }
        try waitUntil("its files are closed") { segment == nil }
    }
}
