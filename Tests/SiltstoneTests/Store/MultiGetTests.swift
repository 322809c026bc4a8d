import SiltstoneTesting
import Testing

@testable import Siltstone

/// Many keys in one read.
struct MultiGetTests {
    /// Keys in runs and a memtable, and some values in a value file.
    private func store(_ access: FileAccess, _ fileSystem: any FileSystem = InMemoryFileSystem()) throws
        -> KeyValueStore
    {
        var configuration = StoreFixture.small()
        configuration.access = access
        configuration.cacheBytes = 0
        configuration.largeValueBytes = 300
        configuration.fileSystem = fileSystem
        let store = try KeyValueStore.open(at: "/store", configuration: configuration)
        for number in 0..<900 {
            try store.put(key(number), [UInt8](repeating: UInt8(number % 251), count: number % 400))
            if number == 700 { try store.flush() }
        }
        return store
    }

    private func value(_ number: Int) -> [UInt8]? {
        number < 900 ? [UInt8](repeating: UInt8(number % 251), count: number % 400) : nil
    }

    @Test(
        "values are those of single reads, wherever they lie, in tasks as well",
        arguments: [FileAccess.mapped, .read])
    func agrees(_ access: FileAccess) async throws {
        let store = try store(access)
        let numbers = (0..<2000).map { $0 * 7919 % 1000 }
        let keys = numbers.map { key($0) }
        let expected = numbers.map { value($0) }
        try compareSynchronously(store, keys, expected)
        let waited: [[UInt8]?] = try await store.get(all: keys)
        #expect(waited == expected)
        let inTransaction: [[UInt8]?] = try await store.begin().get(all: keys)
        #expect(inTransaction == expected)
        let snapshot = store.snapshot()
        for number in 0..<900 { try await store.delete(key(number)) }
        let old: [[UInt8]?] = try await snapshot.get(all: keys)
        #expect(old == expected)
        try await store.close()
    }

    /// In a function that is not asynchronous, where the same names mean the synchronous functions.
    private func compareSynchronously(_ store: KeyValueStore, _ keys: [[UInt8]], _ expected: [[UInt8]?]) throws {
        #expect(try store.get(all: keys) == expected)
        #expect(try store.get(all: [[UInt8]]()) == [])
    }

    @Test("one moment is seen to the end, whatever is written, flushed, compacted and collected in between")
    func oneMoment() throws {
        let store = try store(.mapped)
        let keys = (0..<900).map { key($0) }
        var seen = 0
        try store.withValues(of: keys) { index, found in
            // Values in the value file among them, which is garbage from here on.
            if index == 50 {
                for number in 0..<900 { try store.put(key(number), [UInt8](repeating: 1, count: 350)) }
                try store.compact()
            }
            if let found { #expect(found.array == value(index)) } else { Issue.record("key \(index) is gone") }
            seen += 1
        }
        #expect(seen == 900)
        #expect(try store.get(all: keys.prefix(2)) == [[UInt8]](repeating: [UInt8](repeating: 1, count: 350), count: 2))
        try store.close()
    }

    @Test(
        "a transaction reads no value of the store that it has replaced or deleted: damage there is no error",
        arguments: [FileAccess.mapped, .read])
    func ownWrites(_ access: FileAccess) throws {
        let fixture = StoreFixture()
        var configuration = StoreFixture.small()
        configuration.access = access
        configuration.largeValueBytes = 300
        var store = try fixture.open(configuration)
        try store.put(key(1), [UInt8](repeating: 7, count: 1000))
        try store.put(key(2), [2])
        try store.flush()
        try store.close()
        // In the middle of the only value of the file.
        try fixture.flip(try #require(try fixture.names(ending: ".values").first), at: FileHeader.size + 500)

        store = try fixture.open(configuration)
        let keys = [key(1), key(2), key(3)]
        #expect(StoreError.Code.of { try store.get(all: keys) } == .corrupt)
        let transaction = store.begin()
        #expect(StoreError.Code.of { try transaction.get(all: keys) } == .corrupt)
        // More keys than one group has.
        let repeated = (0..<40).flatMap { _ in keys }
        try transaction.put(key(1), [1])
        for _ in 0..<2 {
            let expected = try (0..<40).flatMap { _ in try keys.map { try transaction.get($0) } }
            #expect(try transaction.get(all: repeated) == expected)
            #expect(try transaction.frozen().get(all: repeated) == expected)
            try transaction.delete(key(1))
        }
        transaction.rollback()
        try store.close()
    }

    @Test("keys may be long, empty, and of kinds whose bytes lie apart")
    func kinds() throws {
        let store = try KeyValueStore.inMemory()
        let long = [UInt8](repeating: 3, count: 5000)
        try store.put(long, "long".utf8)
        try store.put([], "empty".utf8)
        try store.put("text".utf8, "text".utf8)
        let keys = [AnyCollection(long), AnyCollection([]), AnyCollection("text".utf8), AnyCollection([9])]
        let repeated = (0..<40).flatMap { _ in keys }
        let expected = (0..<40).flatMap { _ in ["long", "empty", "text", nil].map { $0.map { Array($0.utf8) } } }
        #expect(try store.get(all: repeated) == expected)
        #expect(try store.begin().get(all: repeated) == expected)
        try store.close()
    }

    @Test("an error ends the read and reaches the caller; a closed store and a released snapshot are errors")
    func errors() async throws {
        struct Stop: Error {}
        let store = try store(.mapped)
        var count = 0
        #expect(throws: Stop.self) {
            try store.withValues(of: (0..<100).map { key($0) }) { index, _ in
                count += 1
                if index == 41 { throw Stop() }
            }
        }
        #expect(count == 42)
        let snapshot = store.snapshot()
        let released = store.snapshot()
        released.release()
        #expect(StoreError.Code.of { try released.get(all: [key(1)]) } == .closed)
        try await store.close()
        #expect(StoreError.Code.of { try store.get(all: [key(1)]) } == .closed)
        #expect(StoreError.Code.of { try snapshot.get(all: [key(1)]) } == .closed)
        await #expect(throws: StoreError.self) { _ = try await snapshot.get(all: [key(1)]) }
    }
}
