import TableKit

/// The rows of a source that has them in the order of the first terms already: each group of rows that are equal in these is
/// sorted by the others. So a limit needs the first groups alone.
final class GroupSortedRows: RowSource {
    private let source: any RowSource
    private let sortKey: SortKey
    private let sortedTerms: Int
    private let termCount: Int
    private let mostBytes: Int

    private var sorter: RowSorter
    /// The sorted terms of the group in the sorter.
    private var group: [UInt8] = []
    /// The group that is being handed out.
    private var ready: (any RowSource)?
    private var isAtEnd = false

    /// - Parameter sortedTerms: how many of the key's terms the source's order has.
    init(_ source: any RowSource, by sortKey: SortKey, sortedTerms: Int, of termCount: Int, mostBytes: Int) {
        self.source = source
        self.sortKey = sortKey
        self.sortedTerms = sortedTerms
        self.termCount = termCount
        self.mostBytes = mostBytes
        sorter = RowSorter(mostBytes: mostBytes)
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        while true {
            if let ready {
                var isStopped = false
                try ready.forEach { key, row in
                    isStopped = try !body(key, row)
                    return !isStopped
                }
                if isStopped { return }
                self.ready = nil
            }
            if isAtEnd, sorter.isEmpty { return }
            try readGroup()
        }
    }

    /// Reads to the end of the group in the sorter, and the first row of the next one.
    private func readGroup() throws {
        var key: [UInt8] = []
        var finished: (any RowSource)?
        try source.forEach { rowKey, row in
            try sortKey.make(&key, of: row, terms: sortedTerms)
            if key != group {
                if !sorter.isEmpty { finished = try sorter.finish() }
                group = key
            }
            key.removeAll(keepingCapacity: true)
            try sortKey.append(to: &key, row, sortedTerms..<termCount)
            try sorter.add(key, rowKey, row)
            return finished == nil
        }
        if finished == nil {
            isAtEnd = true
            finished = try sorter.finish()
        }
        ready = finished
    }
}
