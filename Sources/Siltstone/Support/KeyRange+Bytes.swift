extension KeyRange {
    /// The ranges in key order, without overlap and without empty ones: together they hold the same keys.
    /// - Complexity: O(n) where they are so already, else O(n log n).
    static func sortedAndDisjoint(_ ranges: some Sequence<KeyRange>) -> [KeyRange] {
        let ranges = ranges.filter { !$0.isEmpty }
        if zip(ranges, ranges.dropFirst()).allSatisfy({ $0.ends(before: $1) }) { return ranges }
        var result: [KeyRange] = []
        for range in ranges.sorted(by: { compare($0.from, $1.from) < 0 }) {
            if let last = result.last, !last.ends(before: range) {
                result[result.count - 1].to = last.laterEnd(range)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// Whether all keys of the range come before those of another one.
    private func ends(before other: KeyRange) -> Bool {
        guard let to else { return false }
        return compare(other.from, to) >= 0
    }

    private func laterEnd(_ other: KeyRange) -> [UInt8]? {
        guard let to, let end = other.to else { return nil }
        return compare(to, end) < 0 ? end : to
    }

    /// Bytes of both ends.
    var byteCount: Int { from.count + (to?.count ?? 0) }

    /// Whether all keys of the range come before `key`.
    @inline(__always)
    func ends(before key: Bytes) -> Bool {
        guard let to else { return false }
        return to.withBytes { compareKeys($0, key) <= 0 }
    }

    /// Whether all keys of the range come behind `key`.
    @inline(__always)
    func begins(behind key: Bytes) -> Bool { from.withBytes { compareKeys($0, key) > 0 } }

    func contains(_ key: Bytes) -> Bool { !begins(behind: key) && !ends(before: key) }

    /// Whether the range shares a key with `[start, end)`.
    func overlaps(_ start: [UInt8], _ end: [UInt8]) -> Bool {
        compare(start, end) < 0 && compare(from, end) < 0 && (to.map { compare(start, $0) < 0 } ?? true)
    }
}

/// The order of two keys, as ``compareKeys(_:_:)``.
func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a.withBytes { a in b.withBytes { b in compareKeys(a, b) } }
}
