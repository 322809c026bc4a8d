import Testing

@testable import Siltstone

/// Where one segment of a run ends and the next begins.
struct SegmentBorderTests {
    private static func configuration() -> Configuration {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        return configuration
    }

    /// A run of many segments, which range tombstones lie across, as does one key with more versions than a segment has
    /// room for.
    /// - Returns: the snapshots that keep the versions of the key, with the values that they see.
    private func fill(_ store: KeyValueStore) throws -> (busy: [UInt8], held: [(snapshot: Snapshot, value: [UInt8])]) {
        for number in 0..<1500 { try store.put(key(number), [UInt8](repeating: 1, count: 600)) }
        let busy = key(700)
        var held: [(snapshot: Snapshot, value: [UInt8])] = []
        for number in 0..<40 {
            let value = [UInt8](repeating: UInt8(number), count: 3000)
            try store.put(busy, value)
            held.append((store.snapshot(), value))
        }
        try store.deleteRange(from: key(100), to: key(1400))
        try store.deleteRange(from: [], to: key(50))
        for number in stride(from: 0, to: 1500, by: 10) { try store.put(key(number), [2]) }
        try store.compact()
        return (busy, held)
    }

    @Test("the segments of a run lie side by side, and range tombstones are cut at their borders")
    func sideBySide() throws {
        let store = try StoreFixture().open(Self.configuration())
        let held = try fill(store).held
        let run = try #require(store.engine.versions.current.runs.first)
        #expect(run.segments.count > 10 && store.engine.versions.current.runs.count == 1)
        #expect(run.segments.count { !$0.rangeTombstones.isEmpty } > 5)
        for (index, segment) in run.segments.enumerated() {
            let (first, last) = (segment.info.firstKey, segment.info.lastKey)
            for tombstone in segment.rangeTombstones.tombstones {
                #expect(!tombstone.start.precedes(first), "segment \(index) of \(run.segments.count)")
                #expect(!last.precedes(tombstone.end), "segment \(index) of \(run.segments.count)")
            }
            guard index + 1 < run.segments.count else { continue }
            #expect(!run.segments[index + 1].info.firstKey.precedes(last), "behind segment \(index)")
        }
        withExtendedLifetime(held) {}
        try store.close()
    }

    @Test("all versions of a key are in one segment, however large they are together")
    func versionsTogether() throws {
        let store = try StoreFixture().open(Self.configuration())
        let (busy, held) = try fill(store)
        for (snapshot, value) in held {
            #expect(try snapshot.get(busy) == value)
            #expect(try snapshot.scan(from: busy, limit: 1).remaining().map(\.value) == [value])
            #expect(try snapshot.scan(to: key(701), reverse: true, limit: 1).remaining().map(\.value) == [value])
            #expect(try snapshot.scan().remaining().count == 1500)
        }
        #expect(try store.get(busy) == [2])
        #expect(try store.allEntries().count == 5 + 50 + 130 + 100)
        try store.close()
    }
}
