import Testing

@testable import Siltstone

/// Functions over any reader.
struct KeyValueReaderTests {
    private static func sum(of prefix: String, in reader: some KeyValueReader) throws -> Int {
        var sum = 0
        try reader.forEach(prefix: prefix.utf8) { _, value in
            sum += value.byteCount
            return true
        }
        return sum
    }

    @Test("a function over a reader reads the newest state of a store and the state of a snapshot")
    func generic() throws {
        let store = try KeyValueStore.inMemory()
        try store.put("a1".utf8, "xx".utf8)
        let snapshot = store.snapshot()
        try store.put("a2".utf8, "yyy".utf8)
        #expect(try Self.sum(of: "a", in: store) == 5)
        #expect(try Self.sum(of: "a", in: snapshot) == 2)
        #expect(try Self.sum(of: "a", in: store.stable()) == 5)
        #expect(snapshot.stable() === snapshot)
    }

    @Test("several values are read as of one moment, whatever is written between two of them")
    func manyAtOnce() throws {
        let store = try KeyValueStore.inMemory()
        try store.put("a".utf8, "1".utf8)
        try store.put("b".utf8, "1".utf8)
        let keys = ["a", "b"].lazy.map { key in
            if key == "b" { #expect(throws: Never.self) { try store.put("b".utf8, "2".utf8) } }
            return Array(key.utf8)
        }
        #expect(try store.get(all: keys) == [Array("1".utf8), Array("1".utf8)])
    }

    @Test("a cursor stands still while its store is written")
    func cursorStands() throws {
        let store = try KeyValueStore.inMemory()
        for key in ["a", "b", "c"] { try store.put(key.utf8, "1".utf8) }
        let cursor = try store.scan()
        try store.delete("b".utf8)
        try store.put("d".utf8, "1".utf8)
        var keys: [String] = []
        while let entry = try cursor.next() { keys.append(String(decoding: entry.key, as: UTF8.self)) }
        #expect(keys == ["a", "b", "c"])
    }
}
