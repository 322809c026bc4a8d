/// The keys and ranges that a transaction has read, including those in which it found nothing.
///
/// The set is bounded. Above 65,536 keys or 16 MiB of keys it drops duplicates. If more than half of the limit remains,
/// it merges neighbouring keys into ranges. Above 16,384 ranges or 16 MiB of range bounds it merges neighbouring ranges.
/// The ranges of scans, which grow, are counted apart. Above the same limits, they are merged into ``ranges``. A set that
/// contains too much causes unnecessary conflicts, but never misses one.
struct ReadSet: Sendable {
    /// The bytes of all keys, concatenated.
    private var keys: [UInt8] = []
    /// The end offset of each key in ``keys``.
    private var ends: [Int] = []
    /// The range that each scan has read so far.
    private var scans: [KeyRange] = []
    /// Bytes of the bounds of ``scans``.
    private(set) var scanBytes = 0
    /// The number of the first of ``scans``. Numbers are never reused, because an old scan may still be running.
    private var firstScan = 0
    /// The other ranges. Those of scans are among them in a result of ``mergingScans()``.
    private(set) var ranges = KeyRangeSet()

    private static let maximumKeys = 1 << 16
    private static let maximumRanges = 1 << 14
    private static let maximumBytes = 16 << 20
    /// A key that equals one of the last few keys is not added again.
    private static let recentKeys = 4

    /// The number of keys, duplicates included.
    var keyCount: Int { ends.count }

    /// Whether a range was read, or a scan was started.
    var hasRanges: Bool { !ranges.isEmpty || !scans.isEmpty }

    var isEmpty: Bool { ends.isEmpty && !hasRanges }

    /// Adds a key.
    mutating func insert(_ key: Bytes) {
        for index in max(0, ends.count - Self.recentKeys)..<ends.count
        where withKey(index, { keysEqual($0, key) }) { return }
        keys.append(contentsOf: key)
        ends.append(keys.count)
        if ends.count > Self.maximumKeys || keys.count > Self.maximumBytes { compactKeys() }
    }

    /// Adds all keys of a range.
    mutating func insert(_ range: KeyRange) {
        ranges.insert(range)
        while ranges.ranges.count > Self.maximumRanges || ranges.byteCount > Self.maximumBytes, ranges.ranges.count > 1
        {
            ranges.coarsen()
        }
    }

    // MARK: Scans

    /// Adds a scan that has read nothing yet.
    /// - Returns: its number, for ``updateScan(_:_:)``.
    mutating func addScan() -> Int {
        if scans.count >= Self.maximumRanges { mergeScans() }
        scans.append(KeyRange(from: [], to: []))  // an empty range
        return firstScan + scans.count - 1
    }

    /// Replaces the range that a scan has read.
    mutating func updateScan(_ number: Int, _ range: KeyRange) {
        // The old range of a scan that was merged into ``ranges`` cannot be removed, so the new one is added.
        guard number >= firstScan else { return insert(range) }
        scanBytes += range.byteCount - scans[number - firstScan].byteCount
        scans[number - firstScan] = range
        if scanBytes > Self.maximumBytes { mergeScans() }
    }

    /// Moves the ranges of all scans to ``ranges``.
    private mutating func mergeScans() {
        for range in scans { insert(range) }
        firstScan += scans.count
        (scans, scanBytes) = ([], 0)
    }

    /// Returns the set with the ranges of all scans merged into ``ranges``, for a search for changes.
    func mergingScans() -> ReadSet {
        var set = self
        set.mergeScans()
        return set
    }

    // MARK: Single keys

    /// Runs `body` with the key at an index, in the order in which keys were added. (Single keys are those of ``keys``,
    /// not of a range.)
    @inline(__always)
    func withKey<R, E: Error>(_ index: Int, _ body: (Bytes) throws(E) -> R) throws(E) -> R {
        let start = index > 0 ? ends[index - 1] : 0
        return try keys.withBytes { keys throws(E) in try body(Bytes(rebasing: keys[start..<ends[index]])) }
    }

    /// Whether a condition holds for any single key.
    @inline(__always)
    func containsKey<E: Error>(where holds: (Bytes) throws(E) -> Bool) throws(E) -> Bool {
        for index in 0..<ends.count where try withKey(index, holds) { return true }
        return false
    }

    /// The indexes of the single keys, in key order.
    /// - Complexity: O(n log n)
    func keyOrder() -> [Int] {
        ends.indices.sorted { one, other in
            withKey(one) { one in withKey(other) { other in compareKeys(one, other) < 0 } }
        }
    }

    /// Drops duplicates. If too many keys remain, merges each pair of neighbours into a range.
    private mutating func compactKeys() {
        var sorted = Set(ends.indices.map { index in withKey(index) { [UInt8]($0) } }).sorted { compare($0, $1) < 0 }
        keys.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        let bytes = sorted.reduce(0) { $0 + $1.count }
        if sorted.count > Self.maximumKeys / 2 || bytes > Self.maximumBytes / 2 {
            for index in stride(from: 0, to: sorted.count - 1, by: 2) {
                insert(KeyRange(from: sorted[index], to: KeyRange.successor(of: sorted[index + 1])))
            }
            sorted = sorted.count % 2 == 1 ? [sorted[sorted.count - 1]] : []
        }
        for key in sorted {
            keys.append(contentsOf: key)
            ends.append(keys.count)
        }
    }
}
