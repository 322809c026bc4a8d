extension SuperVersion {
    /// Estimates what a range holds: the sum over memtables and segments, without the parts that newer range tombstones
    /// cover.
    func estimate(_ range: KeyRange) -> RangeEstimate {
        let removed = rangeTombstones()
        var result = RangeEstimate.nothing
        for table in tables {
            for part in Self.parts(of: range, notIn: removed, newerThan: table.greatestSequence) {
                result += table.estimate(part)
            }
        }
        for segment in version.runs.flatMap({ $0.overlapping(from: range.from, to: range.to) }) {
            let own = segment.keyRange.intersection(range)
            for part in Self.parts(of: own, notIn: removed, newerThan: segment.info.greatestSequence) {
                result += segment.estimate(part)
            }
        }
        return result
    }

    /// The parts of a range that no tombstone of the `removed` sets covers. Tombstones up to `sequence`, the greatest
    /// sequence number of a source, do not count.
    private static func parts(
        of range: KeyRange, notIn removed: [RangeTombstones], newerThan sequence: SequenceNumber
    ) -> [KeyRange] {
        if removed.isEmpty { return [range] }
        let fragments = removed.flatMap { $0.fragments(meeting: range) }
            .filter { $0.sequences[0] > sequence }
            .sorted { $0.start.lexicographicallyPrecedes($1.start) }
        var parts: [KeyRange] = []
        var rest = range
        for fragment in fragments {
            let part = KeyRange(from: rest.from, to: fragment.start)
            if !part.isEmpty { parts.append(part) }
            if rest.from.lexicographicallyPrecedes(fragment.end) { rest.from = fragment.end }
        }
        return rest.isEmpty ? parts : parts + [rest]
    }
}

extension SegmentReader {
    /// The range from the segment's first key through its last key.
    fileprivate var keyRange: KeyRange { KeyRange(from: info.firstKey, to: info.lastKey + [0]) }

    /// Estimates what the segment holds of a range, as if all its records had the same size.
    fileprivate func estimate(_ range: KeyRange) -> RangeEstimate {
        // The segment holds range tombstones only.
        if info.recordCount == 0 { return .nothing }
        let share = (range.to.map { position(of: $0) } ?? 1) - position(of: range.from)
        let entries = Double(info.recordCount - info.tombstoneCount)
        let bytes = info.valueFiles.reduce(info.userBytes) { $0 + $1.bytes }
        return RangeEstimate(entries: Int((share * entries).rounded()), bytes: Int((share * Double(bytes)).rounded()))
    }

    /// The fraction of the segment's blocks before a key, from 0 to 1. The error is less than one block.
    private func position(of key: [UInt8]) -> Double {
        if !info.firstKey.lexicographicallyPrecedes(key) { return 0 }
        if info.lastKey.lexicographicallyPrecedes(key) { return 1 }
        return withContiguousBytes(key) { blockIndex.position(of: $0) }
    }
}

extension MemTable {
    /// The largest number of entries that ``countFew(_:)`` counts one by one.
    private static let fewEntries = 128

    /// Estimates what the memtable holds of a range.
    fileprivate func estimate(_ range: KeyRange) -> RangeEstimate {
        if isEmpty { return .nothing }
        if let exact = countFew(range) { return exact }
        let keys = Double(tree.estimateKeys(in: range))
        // Assumes that tombstones and entry sizes are distributed evenly.
        let all = Double(max(1, entryCount))
        let bytes = Double(entryBytes) / all - Double(MemTableEntry.headerSize)
        let values = keys * max(0, 1 - Double(tombstoneCount) / all)
        return RangeEstimate(entries: Int(values.rounded()), bytes: Int((keys * max(0, bytes)).rounded()))
    }

    /// Counts what the memtable holds of a range; nil if that is more than ``fewEntries`` entries.
    private func countFew(_ range: KeyRange) -> RangeEstimate? {
        var cursor = MemTableCursor(self)
        var batch = RecordBatch(capacity: Self.fewEntries + 1)
        withContiguousBytes(range.from) { cursor.seek($0) }
        cursor.fill(&batch, limit: batch.capacity, visible: .greatest)
        var result = RangeEstimate.nothing
        for index in 0..<batch.count {
            let record = batch[index]
            if let to = range.to, withContiguousBytes(to, { compareKeys(record.key, $0) }) >= 0 { return result }
            if record.kind == .tombstone { continue }
            result += RangeEstimate(entries: 1, bytes: record.key.count + record.value.count)
        }
        return batch.count < batch.capacity ? result : nil
    }
}
