/// Orders the segments whose level is unknown.
///
/// Of two versions of a key, the one with the larger sequence number is newer, in whatever segments they are; 0 is
/// older than every other number. But a reader checks the runs in order and takes the first version that it finds. The
/// ranges of sequence numbers of two segments can overlap, as those of a level and the one below it may. Then no order
/// of runs is right for every key, and the segments are merged record by record.
extension StoreRepair {
    /// Makes each unplaced segment a run of level 0, ordered by sequence number and newer than all runs that the
    /// manifest knows. If no such order is right for every key, merges the segments.
    ///
    /// Only the manifest knows which logs were flushed and in which order. If it has lost its end, the segments that
    /// it does not name are unplaced, and so are the changes from logs. If some of them may be older than known
    /// segments (``isOlder(_:thanAnyOf:)``), the known segments are unplaced too.
    mutating func orderUnplaced() throws(StoreError) {
        if trustsManifest { return }
        let all = next.segments.values.map(\.info)
        let placed = all.filter { known.segments[fileNumber($0)] != nil }
        let unplaced = all.filter { known.segments[fileNumber($0)] == nil }
        let isOrderLost = unplaced.contains { isOlder($0, thanAnyOf: placed) }
        let infos = isOrderLost ? all : unplaced
        guard Self.canBeStacked(infos) else { return try merge(infos) }
        for info in infos.sorted(by: { ($0.greatestSequence, $0.number) < ($1.greatestSequence, $1.number) }) {
            next.segments[info.number] = .init(info: info, level: 0, run: takeNumber())
        }
    }

    /// The number of the file from which a segment's records come.
    private func fileNumber(_ info: SegmentInfo) -> UInt64 { salvagedFiles[info.number] ?? info.number }

    /// True if an unplaced segment may hold an older version of a key than a segment that the manifest knows.
    ///
    /// Not all of its changes are newer than what the manifest knows: a compaction copies old records, too, and its
    /// output may belong below known segments. Segments that share no key need no order.
    private func isOlder(_ info: SegmentInfo, thanAnyOf placed: [SegmentInfo]) -> Bool {
        info.smallestSequence <= known.lastSequence && placed.contains { $0.mayShareKeys(with: info) }
    }

    /// Replaces segments by one run that holds the newest version of each of their keys.
    private mutating func merge(_ infos: [SegmentInfo]) throws(StoreError) {
        progress?("merging \(infos.count) segments whose order is lost")
        // Of two records with sequence number 0, the one in the file with the larger number is newer. A record loses
        // its number only in a merge with all older data. What salvage has copied is as old as the damaged file.
        let ordered = infos.sorted { fileNumber($0) > fileNumber($1) }
        let readers = try ordered.map { info throws(StoreError) in try openSegment(info.number) }
        let merged = try merge(
            HistorySource(readers), readers.flatMap { $0.rangeTombstones.tombstones },
            segmentBytes: configuration.segmentBytes)
        for info in infos { next.segments[info.number] = nil }
        let run = takeNumber()
        // A level below level 0 has only one run. If the manifest knows segments, level 1 may already have its run.
        let level = known.segments.isEmpty ? 1 : 0
        for info in merged { next.segments[info.number] = .init(info: info, level: level, run: run) }
        report.recordsKept += merged.reduce(0) { $0 + $1.recordCount } - infos.reduce(0) { $0 + $1.recordCount }
    }

    /// True if any two segments with overlapping key ranges have disjoint ranges of sequence numbers. Then ordering
    /// runs by their largest sequence number is right for every key.
    private static func canBeStacked(_ infos: [SegmentInfo]) -> Bool {
        let sorted = infos.sorted { $0.greatestSequence < $1.greatestSequence }
        return sorted.indices.allSatisfy { index in
            sorted[..<index].allSatisfy { older in
                let newer = sorted[index]
                return !older.mayShareKeys(with: newer) || older.greatestSequence < newer.smallestSequence
            }
        }
    }
}

extension SegmentInfo {
    /// True if the key ranges of two segments overlap.
    fileprivate func mayShareKeys(with other: SegmentInfo) -> Bool {
        !lastKey.lexicographicallyPrecedes(other.firstKey) && !other.lastKey.lexicographicallyPrecedes(firstKey)
    }
}

/// Merges several segments into one source in which the versions of each key are ordered by sequence number.
///
/// ``MergingCursor`` requires its sources to be ordered by age, which is unknown here.
private final class HistorySource: RecordSource {
    /// A record that owns its bytes.
    private struct Version {
        private let bytes: HeapBytes
        let record: Record
        var sequence: SequenceNumber { record.sequence }

        init(_ source: Record) {
            bytes = HeapBytes(copying: [UInt8](source.key) + [UInt8](source.value))
            record = Record(
                key: Bytes(rebasing: bytes.bytes[..<source.key.count]),
                value: Bytes(rebasing: bytes.bytes[source.key.count...]), sequence: source.sequence, kind: source.kind)
        }
    }

    private let cursor: MergingCursor
    /// The remaining versions of the current key, oldest first.
    private var versions: [Version] = []
    /// The versions in the current batch, which points to their bytes.
    private var returned: [Version] = []
    /// The first record of the next key.
    private var ahead: Version?

    /// - Parameter readers: in order of precedence. Of two records with the same sequence number, the first reader's
    ///   counts.
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
        returned.removeAll()
        while returned.count < limit {
            if versions.isEmpty { try readKey() }
            guard let version = versions.popLast() else { return }
            returned.append(version)
            batch.value.append(version.record)
        }
    }

    /// Reads all versions of the next key into ``versions``.
    private func readKey() throws(StoreError) {
        var found: [Version] = []
        while let version = ahead, found.isEmpty || keysEqual(version.record.key, found[0].record.key) {
            found.append(version)
            ahead = try cursor.next().map { Version($0) }
        }
        // The cursor returns records with equal keys in the order of the sources. That order decides between equal
        // sequence numbers.
        let sorted = found.enumerated().sorted { ($0.element.sequence, $0.offset) < ($1.element.sequence, $1.offset) }
        for (_, version) in sorted where versions.last?.sequence != version.sequence { versions.append(version) }
    }
}
