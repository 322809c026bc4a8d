/// Key ranges that scans have found without entries, so that later scans can skip them.
///
/// In a queue, a stack, or a list whose first entry is stuck, entries are deleted side by side. Each scan would pass all
/// deleted records that no compaction has dropped yet, a few more each time, and n scans n²/2 of them. With this set,
/// scans in either direction skip what an earlier one has passed, wherever they meet it.
///
/// A range is *known* to be empty for readers that see its change `sequence`: a scan saw that change and found nothing,
/// and no key was put since. A put removes its key from the range. A scan that does not see the last put cannot tell
/// whether that put, or one before it, was into the range it has passed. The range is then only *watched*: no key was
/// put since change `sequence`. The next scan that sees this change and finds the range empty makes it known.
///
/// A value. The owner guards it, and notes each put before scans can see it.
struct DeletedRangeSet: Sendable {
    /// The keys in `[from, to)`.
    struct Part: Sendable {
        var from: [UInt8]
        var to: [UInt8]
        var sequence: SequenceNumber
        /// False if the range is only watched.
        var isKnown: Bool

        var byteCount: Int { from.count + to.count }
    }

    /// A new range is worth a seek, which costs about as much as passing sixty records. (Shorter runs extend a range.)
    static let fewestRecords = 64
    /// More ranges than this are all forgotten, so that a put, which may cut a range in two, moves at most 32 KiB. A
    /// store with more queues has few deleted records in each.
    static let mostParts = 1024
    /// Keys of more bytes than this are all forgotten, too.
    static let mostBytes = 1 << 20

    /// In key order, without overlap.
    private(set) var parts: [Part] = []
    private var byteCount = 0
    /// The last put that was noted.
    private(set) var lastPut: SequenceNumber = 0
    /// The number of records that scans have passed in the runs that they have added: their work, for tests.
    private(set) var passedCount = 0

    var isEmpty: Bool { parts.isEmpty }

    /// Forgets all ranges.
    mutating func removeAll() { (parts, byteCount) = ([], 0) }

    // MARK: Puts

    /// Notes that all puts up to a change may have gone to any key.
    mutating func notePuts(upTo change: SequenceNumber) { lastPut = max(lastPut, change) }

    /// Removes a key that is about to be put.
    /// - Parameter change: the number of the put, or of the last change of its batch.
    mutating func note(put key: Bytes, _ change: SequenceNumber) {
        lastPut = change
        let index = parts.indices.partitioningIndex { compare(parts[$0].to, key) > 0 }
        guard index < parts.count, compare(parts[index].from, key) <= 0 else { return }
        var (before, behind) = (parts[index], parts[index])
        before.to = [UInt8](key)
        behind.from = KeyRange.successor(of: before.to)
        replace(index..<(index + 1), with: [before, behind].filter { compare($0.from, $0.to) < 0 })
    }

    // MARK: Scans

    /// Returns the position at which a scan may go on instead of at `position`; nil if no known range begins there.
    /// - Parameter seen: the last change that the scan sees.
    func end(from position: [UInt8], _ direction: ScanDirection, seen: SequenceNumber) -> [UInt8]? {
        // A forward scan goes on with the key at its position, a backward scan with the next smaller one.
        let isForward = direction == .forward
        let index = parts.indices.partitioningIndex { compare(parts[$0].to, position) >= (isForward ? 1 : 0) }
        guard index < parts.count, parts[index].isKnown, parts[index].sequence <= seen else { return nil }
        let order = compare(parts[index].from, position)
        if isForward { return order <= 0 ? parts[index].to : nil }
        return order < 0 ? parts[index].from : nil
    }

    /// Adds a range in which a scan has found no entry. Does nothing if the scan has passed too few
    /// records for a new range, and there is none that these keys would extend.
    /// - Parameters:
    ///   - count: the number of records that the scan has passed, without those that it has skipped.
    ///   - seen: the last change that the scan sees.
    mutating func add(_ bounds: DeletedRun.Bounds, passing count: Int, seen: SequenceNumber) {
        let (from, to) = bounds
        passedCount &+= count
        let first = parts.indices.partitioningIndex { compare(parts[$0].to, from) >= 0 }
        let extends = first < parts.count && compare(parts[first].from, to) <= 0
        guard count >= Self.fewestRecords || extends, compare(from, to) < 0 else { return }
        var last = first
        while last < parts.count, compare(parts[last].from, to) <= 0 { last += 1 }
        replace(first..<last, with: merge(parts[first..<last], from, to, seen))
    }

    /// Merges the parts that overlap or touch `[from, to)` with the keys that a scan has found empty.
    private func merge(
        _ old: ArraySlice<Part>, _ from: [UInt8], _ to: [UInt8], _ seen: SequenceNumber
    ) -> [Part] {
        let isKnown = seen >= lastPut
        var merged: [Part] = []
        func append(_ from: [UInt8], _ to: [UInt8], _ sequence: SequenceNumber, _ isKnown: Bool) {
            guard compare(from, to) < 0 else { return }
            if let last = merged.last, last.isKnown == isKnown, last.to == from {
                merged[merged.count - 1].to = to
                merged[merged.count - 1].sequence = max(last.sequence, sequence)
            } else {
                merged.append(Part(from: from, to: to, sequence: sequence, isKnown: isKnown))
            }
        }
        /// Adds keys that no part holds.
        func appendNew(_ from: [UInt8], _ end: [UInt8]) {
            append(from, compare(end, to) < 0 ? end : to, isKnown ? seen : lastPut, isKnown)
        }
        var position = from
        for part in old {
            appendNew(position, part.from)
            if part.isKnown || part.sequence > seen {
                append(part.from, part.to, part.sequence, part.isKnown)
            } else {
                // The keys of a watched range that the scan has passed become known.
                let (start, end) = (greater(part.from, from), smaller(part.to, to))
                append(part.from, start, part.sequence, false)
                append(start, end, seen, true)
                append(end, part.to, part.sequence, false)
            }
            position = greater(position, part.to)
        }
        appendNew(position, to)
        return merged
    }

    private func smaller(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] { compare(one, other) < 0 ? one : other }

    private func greater(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] { compare(one, other) < 0 ? other : one }

    private mutating func replace(_ indices: Range<Int>, with new: [Part]) {
        byteCount += new.reduce(0) { $0 + $1.byteCount } - parts[indices].reduce(0) { $0 + $1.byteCount }
        parts.replaceSubrange(indices, with: new)
        if parts.count > Self.mostParts || byteCount > Self.mostBytes { removeAll() }
        assert(zip(parts, parts.dropFirst()).allSatisfy { compare($0.to, $1.from) <= 0 })
    }
}

/// Compares a key with another one, as ``compareKeys(_:_:)``.
private func compare(_ key: [UInt8], _ other: Bytes) -> Int { key.withBytes { compareKeys($0, other) } }
