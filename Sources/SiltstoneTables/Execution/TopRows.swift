import TableKit

/// The first rows of a source in an order, by a heap of sort keys with their rows.
final class TopRows: RowSource {
    private let source: any RowSource
    private let sortKey: SortKey
    private let count: Int
    private var sorted: [Entry]?
    private var next = 0

    /// A row with its sort key, which ends with the row's key.
    private struct Entry {
        var key: [UInt8]
        var termBytes: Int
        var row: [UInt8]
    }

    /// - Parameter count: the maximum number of rows, all of which are in memory.
    init(_ source: any RowSource, by sortKey: SortKey, count: Int) {
        self.source = source
        self.sortKey = sortKey
        self.count = count
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        let rows = try sorted ?? collect()
        sorted = rows
        while next < rows.count {
            let entry = rows[next]
            next += 1
            if try unsafe !body(entry.key.span.bytes.extracting(droppingFirst: entry.termBytes), entry.row.span.bytes) {
                return
            }
        }
        sorted = []
        next = 0
    }

    private func collect() throws -> [Entry] {
        if count <= 0 { return [] }
        // The root is the last row of the heap in the order.
        var heap: [Entry] = []
        var key: [UInt8] = []
        try source.forEach { rowKey, row in
            try sortKey.make(&key, of: row)
            let termBytes = key.count
            unsafe rowKey.withUnsafeBytes { unsafe key += $0 }
            if heap.count == count {
                guard RowBytes.order(key, heap[0].key) < 0 else { return true }
                heap[0] = unsafe Entry(key: key, termBytes: termBytes, row: row.withUnsafeBytes { unsafe Array($0) })
                Self.siftDown(&heap)
            } else {
                unsafe heap.append(Entry(key: key, termBytes: termBytes, row: row.withUnsafeBytes { unsafe Array($0) }))
                Self.siftUp(&heap)
            }
            return true
        }
        return heap.sorted { RowBytes.order($0.key, $1.key) < 0 }
    }

    private static func siftUp(_ heap: inout [Entry]) {
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            if RowBytes.order(heap[parent].key, heap[child].key) >= 0 { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private static func siftDown(_ heap: inout [Entry]) {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            if child >= heap.count { return }
            if child + 1 < heap.count, RowBytes.order(heap[child].key, heap[child + 1].key) < 0 { child += 1 }
            if RowBytes.order(heap[parent].key, heap[child].key) >= 0 { return }
            heap.swapAt(parent, child)
            parent = child
        }
    }
}
