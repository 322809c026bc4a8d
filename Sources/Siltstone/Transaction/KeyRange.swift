/// The keys in `[from, to)`. Without `to`, the range has no upper end.
struct KeyRange: Hashable, Sendable {
    var from: [UInt8]
    /// The first key behind the range; nil where the range has no upper end.
    var to: [UInt8]?

    /// - Parameter from: nil for the empty key, which is the first of all.
    init(from: [UInt8]?, to: [UInt8]?) {
        self.from = from ?? []
        self.to = to
    }

    /// The range of one key.
    init(key: [UInt8]) { self.init(from: key, to: Self.successor(of: key)) }

    /// The least key behind another one.
    static func successor(of key: [UInt8]) -> [UInt8] { key + [0] }

    var isEmpty: Bool {
        guard let to else { return false }
        return compare(from, to) >= 0
    }

    /// Bytes of both ends.
    var byteCount: Int { from.count + (to?.count ?? 0) }

    /// Whether all keys of the range come before `key`.
    @inline(__always)
    func ends(before key: Bytes) -> Bool {
        guard let to else { return false }
        return to.withUnsafeBytes { compareKeys($0, key) <= 0 }
    }

    /// Whether all keys of the range come behind `key`.
    @inline(__always)
    func begins(behind key: Bytes) -> Bool { from.withUnsafeBytes { compareKeys($0, key) > 0 } }

    func contains(_ key: Bytes) -> Bool { !begins(behind: key) && !ends(before: key) }

    /// Whether the range shares a key with `[start, end)`.
    func overlaps(_ start: [UInt8], _ end: [UInt8]) -> Bool {
        compare(start, end) < 0 && compare(from, end) < 0 && (to.map { compare(start, $0) < 0 } ?? true)
    }
}

/// The order of two keys, as ``compareKeys(_:_:)``.
func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a.withUnsafeBytes { a in b.withUnsafeBytes { b in compareKeys(a, b) } }
}
