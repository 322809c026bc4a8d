/// The keys and ranges that a transaction has read, including those in which it found nothing.
///
/// The set is bounded. Above 65,536 keys or 16 MiB of keys, neighbouring keys are merged into ranges. Above 16,384
/// ranges or 16 MiB of range bounds, neighbouring ranges are merged. A set that contains too much causes unnecessary
/// conflicts, but never misses one.
struct ReadSet: Sendable {
    /// The bytes of all keys, concatenated.
    private var keys: [UInt8] = []
    /// The end offset of each key in ``keys``.
    private var ends: [Int] = []
    /// The range that each scan has read so far.
    private var walks: [KeyRange] = []
    /// The number of the first of ``walks``. Numbers are never reused, because an old scan may still be running.
    private var firstWalk = 0
    private(set) var ranges = KeyRangeSet()

    private static let mostKeys = 1 << 16
    private static let mostRanges = 1 << 14
    private static let mostBytes = 16 << 20
    /// A key that equals one of the last few keys is not added again.
    private static let recentKeys = 4

    var keyCount: Int { ends.count }

    var hasRanges: Bool { !ranges.isEmpty || !walks.isEmpty }

    var isEmpty: Bool { ends.isEmpty && !hasRanges }

    /// Adds a key.
    mutating func insert(_ key: Bytes) {
        for index in max(0, ends.count - Self.recentKeys)..<ends.count
        where withKey(index, { keysEqual($0, key) }) { return }
        keys.append(contentsOf: key)
        ends.append(keys.count)
        if ends.count > Self.mostKeys || keys.count > Self.mostBytes { joinKeys() }
    }

    /// Adds all keys of a range.
    mutating func insert(_ range: KeyRange) {
        ranges.insert(range)
        while ranges.ranges.count > Self.mostRanges || ranges.byteCount > Self.mostBytes, ranges.ranges.count > 1 {
            ranges.coarsen()
        }
    }

    // MARK: Scans

    /// Adds a scan that has read nothing yet.
    /// - Returns: its number, for ``updateWalk(_:_:)``.
    mutating func addWalk() -> Int {
        if walks.count >= Self.mostRanges { mergeWalks() }
        walks.append(KeyRange(from: [], to: []))
        return firstWalk + walks.count - 1
    }

    /// Replaces the range that a scan has read.
    mutating func updateWalk(_ number: Int, _ range: KeyRange) {
        // A scan that was merged into ``ranges`` can only be extended.
        if number >= firstWalk { walks[number - firstWalk] = range } else { insert(range) }
    }

    /// Moves the ranges of all scans to ``ranges``.
    private mutating func mergeWalks() {
        for range in walks { insert(range) }
        firstWalk += walks.count
        walks = []
    }

    /// Returns the set with every scan merged into the ranges.
    func closed() -> ReadSet {
        if walks.isEmpty { return self }
        var set = self
        set.mergeWalks()
        return set
    }

    // MARK: Lookup

    /// Runs `body` with the single key at an index.
    @inline(__always)
    func withKey<R>(_ index: Int, _ body: (Bytes) -> R) -> R {
        let start = index > 0 ? ends[index - 1] : 0
        return keys.withBytes { body(Bytes(rebasing: $0[start..<ends[index]])) }
    }

    /// Whether a condition holds for any single key.
    @inline(__always)
    func containsKey(where holds: (Bytes) -> Bool) -> Bool {
        for index in 0..<ends.count where withKey(index, holds) { return true }
        return false
    }

    /// Like `containsKey(where:)`, for a condition that may throw.
    func containsKey(where holds: (Bytes) throws(StoreError) -> Bool) throws(StoreError) -> Bool {
        for index in 0..<ends.count {
            let result = withKey(index) { key in Result { () throws(StoreError) in try holds(key) } }
            if try result.get() { return true }
        }
        return false
    }

    /// The indexes of the single keys, in key order.
    /// - Complexity: O(n log n)
    func keyOrder() -> [Int] {
        keys.withBytes { bytes in
            func key(_ index: Int) -> Bytes {
                Bytes(rebasing: bytes[(index > 0 ? ends[index - 1] : 0)..<ends[index]])
            }
            return (0..<ends.count).sorted { compareKeys(key($0), key($1)) < 0 }
        }
    }

    /// The single keys, sorted and without duplicates.
    func sortedKeys() -> [[UInt8]] {
        Set((0..<ends.count).map { index in withKey(index) { [UInt8]($0) } })
            .sorted { compare($0, $1) < 0 }
    }

    /// Drops duplicates. If too many keys remain, merges each pair of neighbours into a range.
    private mutating func joinKeys() {
        var sorted = sortedKeys()
        keys.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        let bytes = sorted.reduce(0) { $0 + $1.count }
        if sorted.count > Self.mostKeys / 2 || bytes > Self.mostBytes / 2 {
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
