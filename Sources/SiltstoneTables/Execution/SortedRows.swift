import TableKit

/// Sorts the rows of a source.
final class SortedRows: RowSource {
    private let source: any RowSource
    private let sortKey: SortKey
    private let mostBytes: Int
    private var sorted: (any RowSource)?

    init(_ source: any RowSource, by sortKey: SortKey, mostBytes: Int) {
        self.source = source
        self.sortKey = sortKey
        self.mostBytes = mostBytes
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        let rows = try sorted ?? sort()
        sorted = rows
        try rows.forEach(body)
    }

    private func sort() throws -> any RowSource {
        var sorter = RowSorter(mostBytes: mostBytes)
        var terms: [UInt8] = []
        try source.forEach { key, row in
            try sortKey.make(&terms, of: row)
            try sorter.add(terms, key, row)
            return true
        }
        return try sorter.finish()
    }
}
