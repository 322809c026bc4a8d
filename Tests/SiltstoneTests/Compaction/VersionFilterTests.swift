import Testing

@testable import Siltstone

struct VersionFilterTests {
    private struct Version: Hashable {
        var key: [UInt8]
        var sequence: SequenceNumber
        var kind: RecordKind
    }

    /// What a reader at `visible` finds under a key: the version's sequence number, or nil.
    private func read(
        _ key: [UInt8], _ versions: [Version], _ ranges: [RangeTombstone], _ visible: SequenceNumber
    ) -> Version? {
        guard let newest = versions.first(where: { $0.key == key && $0.sequence <= visible }) else { return nil }
        let cover =
            ranges.filter {
                $0.sequence <= visible && !key.precedes($0.start)
                    && key.precedes($0.end)
            }.map(\.sequence).max() ?? 0
        return newest.kind == .tombstone || cover > newest.sequence ? nil : newest
    }

    @Test("every snapshot sees the same through the filter, whatever it drops", arguments: 0..<300 as Range<UInt64>)
    func snapshotsSeeTheSame(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        var versions: [Version] = []
        var ranges: [RangeTombstone] = []
        for sequence in 1...SequenceNumber(2 + random.index(30)) {
            let key = [UInt8(random.index(5))]
            switch random.index(6) {
            case 0, 1: ranges.append(RangeTombstone(start: key, end: [UInt8(random.index(6))], sequence: sequence))
            case 2: versions.append(Version(key: key, sequence: sequence, kind: .tombstone))
            default: versions.append(Version(key: key, sequence: sequence, kind: .value))
            }
        }
        versions.sort { ($0.key[0], $1.sequence) < ($1.key[0], $0.sequence) }
        let snapshots = Set((0..<random.index(4)).map { _ in SequenceNumber(random.index(32)) }).sorted()
        let isBottom = random.chance(0.5)
        var filter = VersionFilter(snapshots: snapshots, tombstones: RangeTombstones(ranges), isBottom: isBottom)
        var kept: [Version] = []
        var origins: [Version: Version] = [:]
        for version in versions {
            let sequence = version.key.withBytes { key in
                filter.keep(Record(key: key, value: .emptyBytes, sequence: version.sequence, kind: version.kind))
            }
            guard let sequence else { continue }
            var changed = version
            changed.sequence = sequence
            kept.append(changed)
            origins[changed] = version
        }
        let keptRanges = filter.keptTombstones()
        for visible in snapshots + [.greatest] {
            for key in 0..<5 as Range<UInt8> {
                let before = read([key], versions, ranges, visible)
                let after = read([key], kept, keptRanges, visible).flatMap { origins[$0] }
                #expect(before == after, "key \(key) at \(visible)")
            }
        }
        // No more than one version of a key for each reader.
        for key in 0..<5 as Range<UInt8> { #expect(kept.filter { $0.key == [key] }.count <= snapshots.count + 1) }
        // Nor more than one range tombstone over a key.
        for key in 0..<5 as Range<UInt8> {
            let covering = keptRanges.filter { !([key] as [UInt8]).precedes($0.start) && [key].precedes($0.end) }
            #expect(covering.count <= snapshots.count + 1)
        }
        if isBottom, snapshots.isEmpty {
            #expect(keptRanges.isEmpty)
            #expect(kept.allSatisfy { $0.kind == .value && $0.sequence == 0 })
        }
    }

    @Test("of ranges that grow around each other, those that readers see survive, each in one piece")
    func growingRanges() {
        let ranges = (1...100).map { RangeTombstone(start: [0], end: [UInt8($0)], sequence: SequenceNumber($0)) }
        let all = RangeTombstones(ranges)
        let latest = VersionFilter(snapshots: [], tombstones: all, isBottom: false)
        #expect(latest.keptTombstones() == [ranges[99]])
        let beside = VersionFilter(snapshots: [50, 70], tombstones: all, isBottom: false)
        #expect(Set(beside.keptTombstones()) == [ranges[99], ranges[69], ranges[49]])
        let lowest = VersionFilter(snapshots: [50, 70], tombstones: all, isBottom: true)
        #expect(Set(lowest.keptTombstones()) == [ranges[99], ranges[69]])
    }

    @Test("ranges that do not touch stay apart, and those that touch are joined only under one number")
    func separateRanges() {
        let ranges = [
            RangeTombstone(start: [1], end: [3], sequence: 5), RangeTombstone(start: [3], end: [4], sequence: 5),
            RangeTombstone(start: [4], end: [6], sequence: 7), RangeTombstone(start: [8], end: [9], sequence: 7),
        ]
        let filter = VersionFilter(snapshots: [], tombstones: RangeTombstones(ranges), isBottom: false)
        #expect(
            filter.keptTombstones() == [
                RangeTombstone(start: [1], end: [4], sequence: 5), ranges[2], ranges[3],
            ])
    }
}
