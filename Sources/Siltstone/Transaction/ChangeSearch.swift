// The search for changes after a sequence number: in one memtable, in one segment, and in a complete super version.
//
// A change is a newer version of a key, or a newer range tombstone that covers it. While a snapshot is registered, each
// change after it leaves a trace with a larger sequence number: the change itself, a newer version of the key, or a
// newer range tombstone that covers it. The trace of a deleted key is its tombstone, which the search sees like any other
// version. ``VersionFilter`` drops a version only if one of these follows it before the
// next snapshot. It drops tombstones, and sets numbers to 0, only up to the oldest snapshot.

extension MemTable {
    /// Whether `key` was changed after `sequence`.
    /// - Complexity: O(log n) for n entries; if there are new range tombstones, see ``RangeTombstoneLog/tombstones``
    @inline(__always)
    func hasChange(of key: Bytes, after sequence: SequenceNumber) -> Bool {
        if let newest = newestSequence(of: key), newest > sequence { return true }
        return tree.hasRangeTombstones && rangeTombstones.newestCovering(key, visible: .greatest) > sequence
    }

    /// Whether any key of `range` was changed after `sequence`.
    /// - Complexity: O(log n), and O(1) for each key of the range and for each range tombstone
    func hasChange(in range: KeyRange, after sequence: SequenceNumber) throws(StoreError) -> Bool {
        if tree.hasRangeTombstones, rangeTombstones.hasTombstone(over: range, after: sequence) { return true }
        return try MemTableSource(self).hasChange(in: range, after: sequence)
    }

    /// Whether any key or range of a read set was changed after `sequence`.
    /// - Parameter reads: a result of ``ReadSet/mergingScans()``: the ranges of scans are searched only if they are merged.
    func hasChange(in reads: ReadSet, after sequence: SequenceNumber) throws(StoreError) -> Bool {
        if greatestSequence <= sequence { return false }
        if reads.containsKey(where: { hasChange(of: $0, after: sequence) }) { return true }
        for range in reads.ranges.ranges where try hasChange(in: range, after: sequence) { return true }
        return false
    }
}

extension RangeTombstones {
    /// Whether a tombstone newer than `sequence` covers any key of `range`.
    func hasTombstone(over range: KeyRange, after sequence: SequenceNumber) -> Bool {
        tombstones.contains { $0.sequence > sequence && range.overlaps($0.start, $0.end) }
    }
}

extension SegmentReader {
    /// Whether `key` was changed after `sequence`.
    /// - Complexity: that of ``lookup(_:hash:visible:pin:)``, and O(log n) for n range tombstones
    func hasChange(of key: Bytes, after sequence: SequenceNumber) throws(StoreError) -> Bool {
        if rangeTombstones.newestCovering(key, visible: .greatest) > sequence { return true }
        var pin = BlockPin()
        defer { withExtendedLifetime(pin) {} }
        guard let found = try lookup(key, hash: KeyHash.hash(key), visible: .greatest, pin: &pin) else { return false }
        return found.sequence > sequence
    }

    /// Whether any key of `range` was changed after `sequence`.
    /// - Complexity: O(log n), and O(1) for each version in the range and for each range tombstone
    func hasChange(in range: KeyRange, after sequence: SequenceNumber) throws(StoreError) -> Bool {
        if rangeTombstones.hasTombstone(over: range, after: sequence) { return true }
        return try RunSource(Run(number: 0, segments: [self])).hasChange(in: range, after: sequence)
    }
}

extension RecordSource {
    /// Whether the newest version of any key of `range`, which may be a tombstone, has a sequence number above `sequence`.
    /// Moves the position of the source.
    fileprivate func hasChange(in range: KeyRange, after sequence: SequenceNumber) throws(StoreError) -> Bool {
        try range.from.withBytes { from throws(StoreError) in try seek(from, .forward) }
        while true {
            try refill(.forward, limit: .max, visible: .greatest, numbered: true)
            if batch.value.count == 0 { return false }
            for index in 0..<batch.value.count {
                if range.ends(before: batch.value[index].key) { return false }
                if batch.value[index].sequence > sequence { return true }
            }
        }
    }
}

extension SuperVersion {
    /// Whether segments hold changes after `sequence`, so that a search must read files.
    func hasSegments(after sequence: SequenceNumber) -> Bool {
        version.runs.contains { $0.segments.contains { $0.info.greatestSequence > sequence } }
    }

    /// Whether any key or range of a read set was changed after `sequence`. May read from disk.
    /// - Complexity: O(log n) for each key, O(entries) for each range, in each memtable and segment with newer changes
    func hasChange(in reads: ReadSet, after sequence: SequenceNumber) throws(StoreError) -> Bool {
        for table in tables where try table.hasChange(in: reads, after: sequence) { return true }
        for run in version.runs where run.segments.contains(where: { $0.info.greatestSequence > sequence }) {
            let isChanged = try reads.containsKey { key throws(StoreError) in
                guard let segment = run.segment(for: key), segment.info.greatestSequence > sequence else {
                    return false
                }
                return try segment.hasChange(of: key, after: sequence)
            }
            if isChanged { return true }
            for range in reads.ranges.ranges {
                for segment in run.overlapping(from: range.from, to: range.to)
                where segment.info.greatestSequence > sequence {
                    if try segment.hasChange(in: range, after: sequence) { return true }
                }
            }
        }
        return false
    }
}
