import Siltstone

/// The rows of a sort in a scratch store whose cut sort keys have equal first bytes, in the order of the whole keys.
///
/// Only the numbers of the entries are in memory. A comparison reads the rests of two sort keys from the store, so the
/// length of the keys costs neither memory nor disk.
final class CutGroup: RowSource {
    private struct Entry {
        /// The first eight bytes of the rest of the sort key, as a number with the same order.
        let head: UInt64
        /// The number that follows the first bytes in the scratch store.
        let number: UInt32
    }

    private let store: ScratchStore
    private let first: [UInt8]
    private var entries: [Entry] = []
    private var next = 0

    /// - Parameter first: the first bytes of the sort keys, ``SpilledEntry/mostBytes`` of them.
    init(_ first: [UInt8], in store: ScratchStore) throws {
        self.first = first
        self.store = store
        let cursor = try store.scan(from: SpilledEntry.key(first, 0), to: SpilledEntry.key(first, .max))
        try cursor.forEach { key, value in
            let rest = value.extracting(SpilledEntry.parts(of: value).rest)
            entries.append(Entry(head: Self.head(rest), number: SpilledEntry.number(in: key)))
            return true
        }
        try entries.sort(by: isBefore)
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        while next < entries.count {
            let number = entries[next].number
            next += 1
            let goesOn = try store.withValue(SpilledEntry.key(first, number)) { value in
                let (termBytes, rest, row) = SpilledEntry.parts(of: value)
                let cut = termBytes - first.count
                if cut >= 0 {
                    return try body(value.extracting(rest).extracting(droppingFirst: cut), value.extracting(row))
                }
                // The cut is in the row's key.
                let key = Array(first[termBytes...]) + value.extracting(rest).copied
                return try unsafe body(key.span.bytes, value.extracting(row))
            }
            if !goesOn { return }
        }
    }

    private func isBefore(_ left: Entry, _ right: Entry) throws -> Bool {
        if left.head != right.head { return left.head < right.head }
        return try withRest(of: left) { left in
            try withRest(of: right) { right in
                unsafe left.withUnsafeBytes { left in
                    unsafe right.withUnsafeBytes { unsafe RowBytes.order(left, $0) < 0 }
                }
            }
        }
    }

    private func withRest(of entry: Entry, _ body: (RawSpan) throws -> Bool) throws -> Bool {
        try store.withValue(SpilledEntry.key(first, entry.number)) { value in
            try body(value.extracting(SpilledEntry.parts(of: value).rest))
        }
    }

    private static func head(_ rest: RawSpan) -> UInt64 {
        var head: UInt64 = 0
        for index in 0..<8 {
            let byte: UInt8 =
                index < rest.byteCount ? unsafe rest.unsafeLoad(fromByteOffset: index, as: UInt8.self) : 0
            head = head << 8 | UInt64(byte)
        }
        return head
    }
}
