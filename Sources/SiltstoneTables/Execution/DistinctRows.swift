import TableKit

/// A set of keys: in memory up to a number of bytes, then in a scratch store.
struct DistinctSet {
    private let mostBytes: Int
    private var keys: Set<[UInt8]> = []
    private var byteCount = 0
    private var scratch: ScratchStore?

    /// The memory of a set in bytes for each key, besides the key's bytes.
    private static let overhead = 56

    init(mostBytes: Int = RowSorter.memoryBytes) { self.mostBytes = mostBytes }

    /// Inserts a key.
    /// - Returns: true if it is new.
    mutating func insert(_ key: [UInt8]) throws -> Bool {
        if keys.contains(key) { return false }
        if let scratch { return try scratch.insert(key) }
        keys.insert(key)
        byteCount += key.count + Self.overhead
        // The keys in memory stay there. Later keys are looked up in both places.
        if byteCount > mostBytes { scratch = try ScratchStore() }
        return true
    }
}

/// Drops rows that equal an earlier one in some columns.
final class DistinctRows: RowSource {
    private let source: any RowSource
    private let sortKey: SortKey
    private var seen: DistinctSet

    /// - Parameter sortKey: the key of the columns to compare.
    init(_ source: any RowSource, by sortKey: SortKey, mostBytes: Int) {
        self.source = source
        self.sortKey = sortKey
        seen = DistinctSet(mostBytes: mostBytes)
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        var key: [UInt8] = []
        try source.forEach { rowKey, row in
            try sortKey.make(&key, of: row)
            return try seen.insert(key) ? try body(rowKey, row) : true
        }
    }
}
