/// The segments and value files of a store at one moment. Immutable: each change makes a new version, and a reader
/// keeps the version that it started with.
final class Version: Sendable {
    /// Runs by level. Level 0 has any number of runs, newest first; every other level has at most one.
    let levels: [[Run]]
    /// Value files by number: all that the manifest names. Segments or memtables refer to most of them.
    let valueFiles: [UInt64: ValueFileReader]
    /// All runs, newest first, in the order in which a reader checks them.
    let runs: [Run]
    /// The range tombstones of all segments, for scans. They are cut into fragments once for each version, not for
    /// every scan.
    let rangeTombstones: RangeTombstones
    /// The number of bytes in each value file that segments refer to.
    let referencedValueBytes: [UInt64: Int]
    /// The sum of ``referencedValueBytes``.
    let liveValueBytes: Int

    static let empty = Version(segments: [], valueFiles: [:])

    /// Creates a version from opened segments and their positions.
    /// - Parameter previous: the version before an edit. If the same segments have range tombstones, their set is
    ///   shared; most edits change none of them.
    init(
        segments: [(placed: VersionEdit.PlacedSegment, reader: SegmentReader)],
        valueFiles: [UInt64: ValueFileReader], previous: Version? = nil
    ) {
        var levels: [[Run]] = []
        for (level, members) in Dictionary(grouping: segments, by: { $0.placed.level }) {
            while levels.count <= level { levels.append([]) }
            levels[level] = Dictionary(grouping: members, by: { $0.placed.run })
                .map { Run(number: $0.key, segments: $0.value.map(\.reader)) }
                .sorted { $0.number > $1.number }
        }
        self.levels = levels
        self.valueFiles = valueFiles
        runs = levels.flatMap { $0 }
        referencedValueBytes = Self.referencedValueBytes(of: segments.map(\.reader), previous)
        liveValueBytes = referencedValueBytes.values.reduce(0, +)
        let sets = Self.tombstoneSets(of: runs)
        if let previous, sets.keys == Self.tombstoneSets(of: previous.runs).keys {
            rangeTombstones = previous.rangeTombstones
        } else {
            rangeTombstones = sets.isEmpty ? .empty : RangeTombstones(sets.values.flatMap(\.tombstones))
        }
    }

    /// Adds up the bytes of values to which segments refer. Only the differences from the previous version are added.
    private static func referencedValueBytes(of segments: [SegmentReader], _ previous: Version?) -> [UInt64: Int] {
        var bytes = previous?.referencedValueBytes ?? [:]
        let before = previous?.allSegments ?? []
        let (old, new) = (Set(before.map(\.info.number)), Set(segments.map(\.info.number)))
        for segment in before where !new.contains(segment.info.number) {
            for use in segment.info.valueFiles { bytes[use.file, default: 0] -= use.bytes }
        }
        for segment in segments where !old.contains(segment.info.number) {
            for use in segment.info.valueFiles { bytes[use.file, default: 0] += use.bytes }
        }
        return bytes.filter { $0.value > 0 }
    }

    /// Returns the range tombstones of the segments that have some, by the segment's number.
    private static func tombstoneSets(of runs: [Run]) -> [UInt64: RangeTombstones] {
        let segments = runs.flatMap(\.segments).filter { !$0.rangeTombstones.isEmpty }
        return Dictionary(uniqueKeysWithValues: segments.map { ($0.info.number, $0.rangeTombstones) })
    }

    /// Returns this version after an edit. `opened` has readers of the edit's new segments; `valueFiles` has all value
    /// files of the result.
    func applying(
        _ edit: VersionEdit, opened: [SegmentReader], valueFiles: [UInt64: ValueFileReader]
    ) -> Version {
        let removed = Set(edit.removedSegments)
        var segments = placedSegments.filter { !removed.contains($0.placed.info.number) }
        // A segment that moves to another level is removed and added in one edit. It is open already.
        let open = Dictionary(uniqueKeysWithValues: (allSegments + opened).map { ($0.info.number, $0) })
        for placed in edit.addedSegments {
            if let reader = open[placed.info.number] { segments.append((placed, reader)) }
        }
        return Version(segments: segments, valueFiles: valueFiles, previous: self)
    }

    var allSegments: [SegmentReader] { runs.flatMap(\.segments) }

    /// All segments with their positions.
    var placedSegments: [(placed: VersionEdit.PlacedSegment, reader: SegmentReader)] {
        levels.enumerated().flatMap { level, runs in
            runs.flatMap { run in
                run.segments.map { (.init(info: $0.info, level: level, run: run.number), $0) }
            }
        }
    }

    /// The deepest level that has a segment; 0 if no level has one.
    var deepestLevel: Int { levels.lastIndex { $0.contains { !$0.segments.isEmpty } } ?? 0 }

    func bytes(ofLevel level: Int) -> Int {
        level < levels.count ? levels[level].reduce(0) { $0 + $1.fileBytes } : 0
    }

    /// Returns the segments of a level whose key ranges overlap `[from, to]`. A nil bound is open.
    func overlapping(level: Int, from: [UInt8]?, to: [UInt8]?) -> [SegmentReader] {
        guard level < levels.count else { return [] }
        return levels[level].flatMap { $0.overlapping(from: from, to: to) }
    }
}
