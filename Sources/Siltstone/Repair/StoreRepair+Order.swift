/// The order of segments whose places in the levels nobody knows any more.
///
/// Of two versions of a key the one with the greater sequence number is newer, whatever segments they are in; and 0 is
/// older than all. But a reader asks runs, and takes the first version that it finds. Where the segments' sequence numbers
/// do not lie apart, as those of a level and the one below may not, no order of runs is right for every key: such
/// segments are merged, record by record.
extension StoreRepair {
    /// Gives unplaced segments their places: runs of level 0, newer than what the manifest knows.
    mutating func orderUnplaced() throws(StoreError) {
        let infos = next.segments.values.filter { unplaced.contains($0.info.number) }.map(\.info)
        guard Self.canBeStacked(infos) else { return try merge(infos) }
        for info in infos.sorted(by: { ($0.greatestSequence, $0.number) < ($1.greatestSequence, $1.number) }) {
            next.segments[info.number] = .init(info: info, level: 0, run: takeNumber())
        }
    }

    private mutating func merge(_ infos: [SegmentInfo]) throws(StoreError) {
        progress?("merging \(infos.count) segments whose order is lost")
        // Of two records without a sequence number the one in the younger file is newer: to lose its number, a record must
        // have been merged with everything older.
        let readers = try infos.sorted { $0.number > $1.number }.map { info throws(StoreError) in
            try SegmentReader(
                fileSystem: fileSystem, path: path(.segment(info.number)), number: info.number, store: identity,
                access: .read)
        }
        var number = next.nextFileNumber
        let merge = SegmentMerge(
            sources: [try HistorySource(readers)], tombstones: readers.flatMap { $0.rangeTombstones.tombstones },
            snapshots: [], isBottom: false, segmentBytes: configuration.segmentBytes,
            environment: .init(newSegment: { [self] () throws(StoreError) in
                defer { number += 1 }
                return try newSegment(number)
            }))
        let merged = try merge.run()
        next.nextFileNumber = number
        for info in infos { next.segments[info.number] = nil }
        let run = takeNumber()
        // Below the first level there is one run, which the manifest may know.
        let level = known.segments.isEmpty ? 1 : 0
        for info in merged { next.segments[info.number] = .init(info: info, level: level, run: run) }
        report.recordsKept += merged.reduce(0) { $0 + $1.recordCount } - infos.reduce(0) { $0 + $1.recordCount }
    }

    /// Whether segments with keys in common have no sequence numbers in common, so that the order of their last changes
    /// is right for every key.
    private static func canBeStacked(_ infos: [SegmentInfo]) -> Bool {
        let sorted = infos.sorted { $0.greatestSequence < $1.greatestSequence }
        return sorted.indices.allSatisfy { index in
            sorted[..<index].allSatisfy { older in
                let newer = sorted[index]
                return older.lastKey.lexicographicallyPrecedes(newer.firstKey)
                    || newer.lastKey.lexicographicallyPrecedes(older.firstKey)
                    || older.greatestSequence < newer.smallestSequence
            }
        }
    }
}

/// Several segments as one source, the versions of each key in the order of their sequence numbers.
///
/// ``MergingCursor`` trusts its sources to be in the order of their age; here that is not known.
private final class HistorySource: RecordSource {
    /// A record that owns its bytes.
    private struct Version {
        var bytes: HeapBytes
        var keyCount: Int
        var sequence: SequenceNumber
        var kind: RecordKind

        init(_ record: Record) {
            bytes = HeapBytes(count: record.key.count + record.value.count)
            bytes.buffer.copyMemory(from: record.key)
            bytes.buffer[record.key.count...].copyMemory(from: record.value)
            (keyCount, sequence, kind) = (record.key.count, record.sequence, record.kind)
        }

        var key: Bytes { Bytes(rebasing: bytes.bytes[..<keyCount]) }

        var record: Record {
            Record(key: key, value: Bytes(rebasing: bytes.bytes[keyCount...]), sequence: sequence, kind: kind)
        }
    }

    private let cursor: MergingCursor
    /// The versions of the key that comes next, those not handed out yet, the oldest first.
    private var versions: [Version] = []
    /// What was handed out last, which the batch refers to.
    private var lent: [Version] = []
    /// The first record of the key behind.
    private var ahead: Version?

    /// - Parameter readers: those first whose records count where two have the same sequence number.
    init(_ readers: [SegmentReader]) throws(StoreError) {
        cursor = MergingCursor(
            readers.map { RunSource(Run(number: $0.info.number, segments: [$0]), caching: false) })
    }

    override func position(_ key: Bytes?, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        try cursor.seek(key)
        ahead = try cursor.next().map { Version($0) }
    }

    override func fill(
        limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {
        lent.removeAll()
        while lent.count < limit {
            if versions.isEmpty { try readKey() }
            guard let version = versions.popLast() else { return }
            lent.append(version)
            batch.value.append(version.record)
        }
    }

    private func readKey() throws(StoreError) {
        guard let first = ahead else { return }
        var found = [first]
        ahead = nil
        while let record = try cursor.next() {
            let version = Version(record)
            guard keysEqual(version.key, first.key) else {
                ahead = version
                break
            }
            found.append(version)
        }
        // The cursor gives equal keys in the order of the sources, which decides between equal numbers.
        let sorted = found.enumerated().sorted { ($0.element.sequence, $0.offset) < ($1.element.sequence, $1.offset) }
        for (_, version) in sorted where versions.last?.sequence != version.sequence { versions.append(version) }
    }
}
