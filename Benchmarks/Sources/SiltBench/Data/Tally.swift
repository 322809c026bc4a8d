/// What was read, in a form that can be compared with what should have been.
struct Tally: EntryVisitor, Codable, Equatable, Sendable {
    /// Entries that were there.
    var found = 0
    /// Over the stamps of their values, in any order.
    var checksum: UInt64 = 0
    /// Values that were not the key's, or torn.
    var wrong = 0

    /// Counts a value that was read for a key.
    @inline(__always)
    mutating func add(_ value: Bytes, of index: Int) {
        found &+= 1
        guard value.count >= Stamp.byteCount else { return wrong &+= 1 }
        let front = value.loadUnaligned(as: UInt64.self)
        let back = value.loadUnaligned(fromByteOffset: value.count &- Stamp.byteCount, as: UInt64.self)
        if front != back || Stamp(rawValue: front).index != index { wrong &+= 1 }
        checksum &+= front
    }

    /// Counts an entry of a scan, touching key and value where they lie.
    @inline(__always)
    mutating func visit(_ key: Bytes, _ value: Bytes) {
        found &+= 1
        guard key.count > 0, value.count >= Stamp.byteCount else { return wrong &+= 1 }
        checksum &+= value.loadUnaligned(as: UInt64.self) &+ UInt64(key[key.count &- 1])
    }

    /// Counts what ``add(_:of:)`` should find.
    mutating func expect(_ stamp: Stamp) {
        found += 1
        checksum &+= stamp.rawValue
    }

    static func + (a: Tally, b: Tally) -> Tally {
        Tally(found: a.found + b.found, checksum: a.checksum &+ b.checksum, wrong: a.wrong + b.wrong)
    }
}
