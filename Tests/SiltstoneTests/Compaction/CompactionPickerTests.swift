import Testing

@testable import Siltstone

/// What a compaction takes, and what it may take for the bottom.
struct CompactionPickerTests {
    private let fileSystem = InMemoryFileSystem(greatestFileSize: 1 << 20)
    private let store = StoreIdentity(high: 1, low: 2)

    /// A segment that holds some keys.
    private func segment(
        _ number: UInt64, level: Int, run: UInt64, _ keys: [String], kind: RecordKind = .value
    ) throws -> (placed: VersionEdit.PlacedSegment, reader: SegmentReader) {
        let path = StoreFile.segment(number).path(in: "/")
        let writer = try SegmentWriter(
            file: try fileSystem.open(path, .createNew), number: number, store: store, options: SegmentOptions())
        for key in keys {
            try OwnedRecord(Array(key.utf8), kind == .value ? [1] : [], number, kind).withRecord { record in
                try writer.append(record)
            }
        }
        let info = try writer.finish()
        let reader = try SegmentReader(
            fileSystem: fileSystem, path: path, number: number, store: store, info: info, access: .mapped)
        return (.init(info: info, level: level, run: run), reader)
    }

    /// Four flushed runs of the middle keys, above a segment of level 1 that reaches to both sides.
    private func flushedRuns() throws -> [(placed: VersionEdit.PlacedSegment, reader: SegmentReader)] {
        try (10..<14).map { try segment($0, level: 0, run: $0, ["d", "e"]) }
            + [try segment(5, level: 1, run: 5, ["a", "b", "m"])]
    }

    private func pick(
        _ segments: [(placed: VersionEdit.PlacedSegment, reader: SegmentReader)]
    ) throws -> CompactionPlan {
        let version = Version(segments: segments, valueFiles: [:])
        let picker = CompactionPicker(levelOneBytes: 1 << 20)
        return try #require(picker.pick(version, valueFileBytes: [:], oldestSnapshot: .greatest))
    }

    @Test("a compaction takes all flushed runs, newest first, and what they meet in level 1")
    func inputs() throws {
        let plan = try pick(try flushedRuns())
        #expect(plan.inputs.map(\.number) == [13, 12, 11, 10, 5])
        #expect(plan.outputLevel == 1 && plan.outputRunNumber == 5 && plan.reason == .flushedRuns)
        #expect(plan.isBottom, "nothing lies below")
    }

    @Test("what lies below any of its inputs keeps a compaction from being the bottom", arguments: ["b", "e", "l"])
    func bottom(_ below: String) throws {
        let above = try flushedRuns()
        #expect(try !pick(above + [try segment(3, level: 2, run: 3, [below])]).isBottom)
        #expect(try pick(above + [try segment(4, level: 2, run: 4, ["n" + below])]).isBottom)
    }

    @Test("a segment of tombstones is compacted for their sake, but not while a snapshot keeps them")
    func tombstones() throws {
        let segments = [
            try segment(10, level: 1, run: 10, ["a", "b"], kind: .tombstone),
            try segment(5, level: 2, run: 5, ["a", "b"]),
        ]
        let version = Version(segments: segments, valueFiles: [:])
        let picker = CompactionPicker(levelOneBytes: 1 << 20)
        // Compacted below a snapshot they would stay, and be chosen again at once.
        #expect(picker.pick(version, valueFileBytes: [:], oldestSnapshot: 9)?.reason == nil)
        let plan = try #require(picker.pick(version, valueFileBytes: [:], oldestSnapshot: 10))
        #expect(plan.reason == .tombstones && plan.outputLevel == 2 && plan.isBottom)
    }
}
