extension KeyRange {
    /// Returns ranges that contain the same keys, in key order, without overlap and without empty ones.
    /// - Complexity: O(*n*) in the number of ranges if they have this form already, else O(*n* log *n*).
    @usableFromInline
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

    /// Returns true if all keys of the range are before those of another range.
    private func ends(before other: KeyRange) -> Bool {
        guard let to else { return false }
        return compare(other.from, to) >= 0
    }

    /// Returns the later end of two ranges; nil if one of them has no end.
    func laterEnd(_ other: KeyRange) -> [UInt8]? {
        guard let to, let end = other.to else { return nil }
        return compare(to, end) < 0 ? end : to
    }

    /// Bytes of both ends together.
    var byteCount: Int { from.count + (to?.count ?? 0) }

    /// Returns true if all keys of the range are before `key`.
    @inline(__always)
    func ends(before key: Bytes) -> Bool {
        guard let to else { return false }
        return to.withBytes { compareKeys($0, key) <= 0 }
    }

    /// Returns true if all keys of the range are after `key`.
    @inline(__always)
    func begins(behind key: Bytes) -> Bool { from.withBytes { compareKeys($0, key) > 0 } }

    func contains(_ key: Bytes) -> Bool { !begins(behind: key) && !ends(before: key) }

    /// Returns the keys that are in both ranges.
    func intersection(_ other: KeyRange) -> KeyRange {
        var result = self
        if compare(result.from, other.from) < 0 { result.from = other.from }
        if let to = other.to, result.to.map({ compare(to, $0) < 0 }) ?? true { result.to = to }
        return result
    }

    /// Returns true if the range overlaps `[start, end)`; false if that is empty.
    func overlaps(_ start: [UInt8], _ end: [UInt8]) -> Bool {
        compare(start, end) < 0 && compare(from, end) < 0 && (to.map { compare(start, $0) < 0 } ?? true)
    }
}

/// Compares two keys, as ``compareKeys(_:_:)``.
func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a.withBytes { a in b.withBytes { b in compareKeys(a, b) } }
}
