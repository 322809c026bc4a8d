import TableKit

/// Sorts rows whose source already has the order of the first terms. Each group of rows equal in these terms is sorted
/// by the others, so a limit needs only the first groups.
final class GroupSortedRows: RowSource {
    private let source: any RowSource
    private let sortKey: SortKey
    private let sortedTerms: Int
    private let termCount: Int
    private let mostBytes: Int

    private var sorter: RowSorter
    /// The first terms of the group in the sorter.
    private var group: [UInt8] = []
    /// The sorted group that is being returned.
    private var ready: (any RowSource)?
    private var isAtEnd = false

    /// - Parameter sortedTerms: the number of leading terms in the source's order.
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

    /// Reads the rest of the group in the sorter, and the first row of the next group.
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
