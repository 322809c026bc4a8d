import Siltstone

/// An entry of a sort in a scratch store, whose key is the sort key: the terms, then the row's key.
///
/// A sort key that is too long for the store is cut. A number follows its first bytes, so that entries with equal first
/// bytes have different keys. All keys with these bytes and a number are next to each other, in any order: no shorter
/// sort key lies between them.
struct SpilledEntry {
    /// The length to which a sort key is cut. A row's key alone is not longer: in the store of the tables it follows a
    /// prefix of four bytes at least.
    static let mostBytes = Limits.keyBytes - MemoryLayout<UInt32>.size

    let key: [UInt8]
    /// The length of the terms, the length of the rest of the sort key, the rest, and the row.
    let value: [UInt8]
    /// True if the sort key was cut.
    let isCut: Bool

    private static let headerBytes = 2 * MemoryLayout<Int32>.size

    /// - Parameters:
    ///   - key: the terms, then the row's key.
    ///   - number: a number that no other cut entry of the sort has.
    init(key: ArraySlice<UInt8>, termBytes: Int32, row: ArraySlice<UInt8>, number: UInt32) {
        let rest = key.dropFirst(Self.mostBytes)
        isCut = !rest.isEmpty
        self.key = isCut ? Self.key(Array(key.prefix(Self.mostBytes)), number) : Array(key)
        var value: [UInt8] = []
        value.reserveCapacity(Self.headerBytes + rest.count + row.count)
        for count in [termBytes, Int32(rest.count)] {
            unsafe withUnsafeBytes(of: count.littleEndian) { unsafe value += $0 }
        }
        value += rest
        value += row
        self.value = value
    }

    /// The key of an entry that was cut.
    static func key(_ first: [UInt8], _ number: UInt32) -> [UInt8] {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe first + $0 }
    }

    /// The number in the key of an entry that was cut.
    static func number(in key: RawSpan) -> UInt32 {
        unsafe UInt32(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: mostBytes, as: UInt32.self))
    }

    /// The length of the terms, and the places of the rest of the sort key and of the row in a value.
    static func parts(of value: RawSpan) -> (termBytes: Int, rest: Range<Int>, row: Range<Int>) {
        let termBytes = unsafe Int32(littleEndian: value.unsafeLoadUnaligned(as: Int32.self))
        let restBytes = unsafe Int32(
            littleEndian: value.unsafeLoadUnaligned(fromByteOffset: MemoryLayout<Int32>.size, as: Int32.self))
        let rest = headerBytes..<headerBytes + Int(restBytes)
        return (Int(termBytes), rest, rest.upperBound..<value.byteCount)
    }
}

/// Rows sorted in a scratch store, which they own.
final class SpilledRows: RowSource {
    private let store: ScratchStore
    private var cursor: Cursor?
    /// The rows whose cut sort keys have equal first bytes, while they are returned.
    private var group: CutGroup?

    init(_ store: ScratchStore) { self.store = store }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        let cursor = try cursor ?? store.scan()
        self.cursor = cursor
        while true {
            if let group {
                var isStopped = false
                try group.forEach { key, row in
                    isStopped = try !body(key, row)
                    return !isStopped
                }
                if isStopped { return }
                self.group = nil
            }
            var first: [UInt8]?
            try cursor.forEach { key, value in
                if key.byteCount > SpilledEntry.mostBytes {
                    first = key.extracting(first: SpilledEntry.mostBytes).copied
                    return false
                }
                let (termBytes, _, row) = SpilledEntry.parts(of: value)
                return try body(key.extracting(droppingFirst: termBytes), value.extracting(row))
            }
            // The end, or `body` wants no more rows.
            guard let first else { return }
            group = try CutGroup(first, in: store)
            try cursor.seek(to: SpilledEntry.key(first, .max))
        }
    }
}

extension RawSpan {
    /// A copy of the bytes.
    var copied: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
