import Testing

@testable import Siltstone

/// Repair where no manifest tells the order of segments: their records do.
struct RepairOrderTests {
    private let identity = StoreIdentity(high: 3, low: 4)
    private let fixture = StoreFixture()

    @Test("of each key the version with the greatest sequence number counts, whichever segment is younger as a whole")
    func interleaved() throws {
        try fixture.fileSystem.createDirectory(fixture.path)
        // Neither order of the two is right for every key.
        try fixture.makeSegment(
            3, of: identity,
            [
                ("a", 50, "new"), ("b", 40, nil), ("d", 0, "without a number, old"), ("e", 0, "old"),
                ("f", 20, "newest"),
                ("f", 10, "older"), ("z", 10, "old"),
            ], ranges: [RangeTombstone(start: Array("m".utf8), end: Array("p".utf8), sequence: 45)])
        try fixture.makeSegment(
            4, of: identity,
            [
                ("a", 30, "old"), ("b", 20, "removed"), ("d", 0, "without a number, new"), ("e", 60, "new"),
                ("f", 15, "in between"), ("n", 44, "removed with its range"), ("o", 46, "put behind the removal"),
                ("z", 90, "new"),
            ])
        let repaired = try KeyValueStore.repair(at: fixture.path, configuration: configuration)
        #expect(!repaired.losses.isEmpty)
        let store = try fixture.open()
        let entries = try store.allEntries().map { [$0.key, $0.value].map { String(decoding: $0, as: UTF8.self) } }
        #expect(
            entries == [
                ["a", "new"], ["d", "without a number, new"], ["e", "new"], ["f", "newest"],
                ["o", "put behind the removal"], ["z", "new"],
            ])
        for entry in entries {
            #expect(try store.get(entry[0].utf8).map { String(decoding: $0, as: UTF8.self) } == entry[1])
        }
        for removed in ["b", "n"] { #expect(try store.get(removed.utf8) == nil) }
        #expect(try store.verify().problems == [])
        // The numbers go on behind the greatest one.
        try store.put("z".utf8, "newest".utf8)
        try store.compact()
        #expect(try store.get("z".utf8) == Array("newest".utf8))
        try store.close()
    }

    @Test("where a compaction's edit is lost and a part of its inputs is gone, the newest versions count")
    func halfReplaced() throws {
        var configuration = configuration
        configuration.automaticCompaction = false
        let before: KeyValueStore = try fixture.open(configuration)
        for number in 0..<200 { try before.put(key(number), [1]) }
        try before.compact()
        for number in 50..<150 { try before.put(key(number), [2]) }
        try before.flush()
        // Newer than what is about to be compacted, and not a part of it, for the edit to be lost does not name it.
        let inputs = try fixture.contents()
        try before.compact()
        for number in 100..<120 { try before.put(key(number), [3]) }
        try before.close()
        let outputs = try fixture.contents()
        let segments = inputs.keys.filter { $0.hasSuffix(".segment") }.sorted()
        #expect(segments.count == 2)
        let manifest = try #require(inputs.keys.first { $0.hasSuffix(".manifest") })
        // Each of the inputs may be the one that is left, and both may be.
        for left in [[segments[0]], [segments[1]], segments] {
            let copy = try fixture.copy()
            for name in left { try copy.write(try #require(inputs[name]), to: name) }
            // The edits up to the compaction, and a stump of its own.
            let length = try #require(inputs[manifest]).count
            try copy.write(Array(try #require(outputs[manifest]).prefix(length + 12)), to: manifest)
            configuration.fileSystem = copy.fileSystem
            _ = try KeyValueStore.repair(at: copy.path, configuration: configuration)
            let store = try copy.open(configuration)
            for number in 0..<200 {
                let expected: UInt8 = (100..<120).contains(number) ? 3 : (50..<150).contains(number) ? 2 : 1
                #expect(try store.get(key(number)) == [expected], "\(number), left: \(left)")
            }
            #expect(try store.verify().problems == [])
            try store.close()
        }
    }

    @Test("of two records without a number, the one in the damaged file stays the older one")
    func salvaged() throws {
        try fixture.fileSystem.createDirectory(fixture.path)
        let filling = (100..<900).map { number in
            (key: "a\(number)", sequence: SequenceNumber(0), value: String?.some(String(repeating: "v", count: 40)))
        }
        try fixture.makeSegment(3, of: identity, filling + [("z", 0, "old")])
        try fixture.makeSegment(4, of: identity, [("b", 0, "other"), ("z", 0, "new")])
        // In the first block.
        try fixture.flip(StoreFile.segment(3).name, at: 100)
        let repaired = try KeyValueStore.repair(at: fixture.path, configuration: configuration)
        #expect(repaired.recordsSalvaged > 0)
        let store = try fixture.open()
        #expect(try store.get("a100".utf8) == nil)
        #expect(try store.get("a899".utf8) != nil)
        #expect(try store.get("z".utf8) == Array("new".utf8))
        #expect(try store.verify().problems == [])
        try store.close()
    }

    private var configuration: Configuration {
        var configuration = StoreFixture.small()
        configuration.fileSystem = fixture.fileSystem
        return configuration
    }
}
