import Testing

@testable import Siltstone

/// Which segment of a run a key is looked for in, by digests of what first keys do not have in common.
struct RunProbeTests {
    private static let shapes: [String: @Sendable (Int) -> [UInt8]] = [
        "digits": { Array(String(repeating: "0", count: 10 - String($0).count).utf8) + Array(String($0).utf8) },
        "a long common prefix": { Array("/a/prefix/longer/than/thirty-two/bytes/\($0 / 7)/\($0)".utf8) },
        "a prefix of eight bytes": { Array("12345678".utf8) + [UInt8($0 >> 8), UInt8($0 & 255)] },
        "keys behind the last first key that do not begin as all first keys do": {
            $0 < 2390
                ? Array("12345678".utf8) + [UInt8($0 >> 8), UInt8($0 & 255)]
                : Array("9zzzzzzz".utf8) + [0, UInt8($0 & 255)]
        },
        "short keys": { [UInt8($0 >> 8), UInt8($0 & 255)] },
        "keys of all lengths": { [UInt8](repeating: 97, count: $0 % 41) + [UInt8($0 >> 8), UInt8($0 & 255)] },
        "keys that end in zeros": { [UInt8]("k".utf8) + [UInt8](repeating: 0, count: $0 % 300) + [UInt8($0 >> 8)] },
        "digests that are all the same": {
            Array("prefix".utf8) + [UInt8](repeating: 5, count: 20) + [UInt8($0 >> 8), UInt8($0 & 255)]
        },
    ]

    @Test("every key of a run of many segments is found, and none beside them", arguments: shapes.keys.sorted())
    func manySegments(_ shape: String) throws {
        guard let key = Self.shapes[shape] else { return }
        var configuration = StoreFixture.small()
        configuration.fileSystem = InMemoryFileSystem()
        let store = try KeyValueStore.open(at: "/store", configuration: configuration)
        var values: [[UInt8]: Int] = [:]
        for index in 0..<2400 {
            values[key(index)] = index
            // Large enough for a new segment after some of them.
            try store.put(key(index), Array("\(index)|".utf8) + [UInt8](repeating: 1, count: 400))
        }
        try store.compact()
        let levels = store.statistics.levels.filter { $0.runs > 0 }
        #expect(levels.map(\.runs) == [1] && (levels.first?.segments ?? 0) > 8)
        for (key, index) in values {
            let found = try store.withValue(key) { $0.withBytes { Array($0.prefix { $0 != 124 }) } }
            #expect(found == Array("\(index)".utf8))
            for missing in [key + [0], Array(key.dropLast()), [0], [255, 255, 255], []] where values[missing] == nil {
                #expect(try !store.contains(missing))
            }
        }
        try store.close()
    }
}
