import Siltstone
import Testing

@testable import SiltTool

/// Keys by prefix.
struct KeyPrefixesTests {
    /// The groups of a store with these records.
    private func groups(_ records: [([UInt8], Int)]) throws -> [KeyPrefixes.Group] {
        let directory = try TemporaryDirectory()
        let store = try KeyValueStore.open(at: directory.file("s"))
        for (key, bytes) in records { try store.put(key, [UInt8](repeating: 7, count: bytes)) }
        try store.compact()
        let groups = try KeyPrefixes(store.snapshot()).groups
        try store.close()
        return groups
    }

    @Test("a key that is the prefix of others is a group of its own")
    func prefixKey() throws {
        var records = [(Array("u".utf8), 100_000)]
        for number in 0..<200 {
            records.append((Array("user:\(number)".utf8), 10))
            records.append((Array("uzer:\(number)".utf8), 10))
        }
        let groups = try groups(records)
        let single = try #require(groups.first { $0.prefix == Array("u".utf8) })
        #expect(single.isSingle && single.estimate == RangeEstimate(entries: 1, bytes: 100_001))
        #expect(groups.map { String(decoding: $0.name, as: UTF8.self) }.sorted() == ["u", "user:", "uzer:"])
    }

    @Test("keys of tables belong to no group, even where all others are in one")
    func binaryKeys() throws {
        var records = (0..<250).map { ([UInt8($0), 1], 10) }
        records.append(([0xff, 1], 10))
        for number in 0..<1_000 { records.append(([0xfe, UInt8(number >> 8), UInt8(number & 0xff)], 1_000)) }
        let groups = try groups(records)
        #expect(groups.map(\.prefix) == [[], [0xff, 1]])
        #expect(groups.reduce(0) { $0 + $1.estimate.bytes } < 500_000)
    }

    @Test("a group whose prefix is all digits has a name")
    func digits() {
        let estimate = RangeEstimate(entries: 2, bytes: 20)
        let group = KeyPrefixes.Group(prefix: Array("12".utf8), estimate: estimate, isSingle: false)
        #expect(group.name == Array("12".utf8))
    }
}
