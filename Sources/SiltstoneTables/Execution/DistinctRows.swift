import TableKit

/// The keys that were met: in memory, and beyond a number of bytes in a scratch store.
struct DistinctSet {
    private let mostBytes: Int
    private var keys: Set<[UInt8]> = []
    private var byteCount = 0
    private var scratch: ScratchStore?

    /// What a set needs for each key beside its bytes.
    private static let overhead = 56

    init(mostBytes: Int = RowSorter.memoryBytes) { self.mostBytes = mostBytes }

    /// Adds a key.
    /// - Returns: whether it is new.
    mutating func insert(_ key: [UInt8]) throws -> Bool {
        if keys.contains(key) { return false }
        if let scratch { return try scratch.insert(key) }
        keys.insert(key)
        byteCount += key.count + Self.overhead
        // Those in memory stay there: later keys are looked up in both.
        if byteCount > mostBytes { scratch = try ScratchStore() }
        return true
    }
}

/// The rows of a source that differ in some columns from all before them.
final class DistinctRows: RowSource {
    private let source: any RowSource
    private let sortKey: SortKey
    private var seen: DistinctSet

    /// - Parameter sortKey: of the columns that count.
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
