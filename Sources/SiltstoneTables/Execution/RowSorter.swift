import Siltstone
import TableKit

/// Sorts rows: in memory up to a number of bytes, then by a scratch store, which merges the sorted runs.
struct RowSorter {
    /// The memory limit of a sort, in bytes. An array that grows takes up to twice its contents for a moment.
    static let memoryBytes = 64 << 20

    private let mostBytes: Int
    /// The sort key, row key and row of each entry.
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    private var scratch: ScratchStore?
    /// The number of spilled entries whose keys were cut.
    private var cutEntries: UInt32 = 0

    fileprivate struct Entry {
        /// The first eight bytes of the sort key and row key, as a number with the same order.
        var head: UInt64
        var start: Int
        var termBytes: Int32
        var keyBytes: Int32
        var rowBytes: Int

        /// The memory of an entry while the entries are sorted, which copies half of them.
        static let memoryBytes = MemoryLayout<Entry>.stride * 3 / 2

        /// The range of the sort key and row key, and that of the row.
        var key: Range<Int> { start..<start + Int(termBytes) + Int(keyBytes) }
        var row: Range<Int> { key.upperBound..<key.upperBound + rowBytes }
    }

    init(mostBytes: Int = RowSorter.memoryBytes) { self.mostBytes = mostBytes }

    var isEmpty: Bool { entries.isEmpty && scratch == nil }

    /// True if rows were spilled to disk.
    var hasSpilled: Bool { scratch != nil }

    /// Adds a row.
    /// - Parameters:
    ///   - terms: the encoded sort terms.
    ///   - key: the row's key, which orders rows with equal terms.
    mutating func add(_ terms: [UInt8], _ key: RawSpan, _ row: RawSpan) throws {
        entries.append(
            Entry(
                head: Self.head(terms, key), start: bytes.count, termBytes: Int32(terms.count),
                keyBytes: Int32(key.byteCount), rowBytes: row.byteCount))
        bytes += terms
        unsafe key.withUnsafeBytes { unsafe bytes += $0 }
        unsafe row.withUnsafeBytes { unsafe bytes += $0 }
        if bytes.count + entries.count * Entry.memoryBytes > mostBytes { try spill() }
    }

    private static func head(_ terms: [UInt8], _ key: RawSpan) -> UInt64 {
        if terms.count >= 8 {
            return unsafe terms.withUnsafeBytes { unsafe UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
        }
        var head: UInt64 = 0
        for index in 0..<8 {
            let byte: UInt8 =
                if index < terms.count {
                    terms[index]
                } else if index - terms.count < key.byteCount {
                    unsafe key.unsafeLoad(fromByteOffset: index - terms.count, as: UInt8.self)
                } else {
                    0
                }
            head = head << 8 | UInt64(byte)
        }
        return head
    }

    private mutating func spill() throws {
        let store = try scratch ?? ScratchStore()
        scratch = store
        sort()
        var batch = WriteBatch()
        for entry in entries {
            let spilled = SpilledEntry(
                key: bytes[entry.key], termBytes: entry.termBytes, row: bytes[entry.row], number: cutEntries)
            if spilled.isCut { cutEntries += 1 }
            batch.put(spilled.key, spilled.value)
            if batch.byteCount > 1 << 20 {
                try store.write(batch)
                batch.removeAll()
            }
        }
        try store.write(batch)
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func sort() {
        let bytes = bytes
        unsafe bytes.withUnsafeBytes { bytes in
            entries.sort { left, right in
                if left.head != right.head { return left.head < right.head }
                return unsafe RowBytes.order(
                    UnsafeRawBufferPointer(rebasing: bytes[left.key]),
                    UnsafeRawBufferPointer(rebasing: bytes[right.key])
                ) < 0
            }
        }
    }

    /// Returns the rows in order, and empties the sorter.
    mutating func finish() throws -> any RowSource {
        defer {
            entries = []
            bytes = []
            scratch = nil
        }
        if let scratch {
            try spill()
            return SpilledRows(scratch)
        }
        sort()
        return RowsInMemory(bytes, entries)
    }
}

/// Rows sorted in memory.
private final class RowsInMemory: RowSource {
    private let bytes: [UInt8]
    private let entries: [RowSorter.Entry]
    private var next = 0

    init(_ bytes: [UInt8], _ entries: [RowSorter.Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        let bytes = bytes
        let span = unsafe bytes.span.bytes
        while next < entries.count {
            let entry = entries[next]
            next += 1
            if try !body(span.extracting(entry.key), span.extracting(entry.row)) { return }
        }
    }
}
