import Siltstone
import TableKit

/// Adds the index entries of existing rows.
///
/// Entries are sorted and written in large batches: the write buffer of a transaction appends keys that are in order,
/// but searches and inserts others into an array.
final class IndexEntries {
    private let transaction: Transaction
    private let plan: TableWritePlan
    private let index: TableDescription.Index
    private let entry = KeyEncoder()
    /// Entries without a value that are not written yet.
    private var waiting: [[UInt8]] = []
    private static let mostWaiting = 1 << 16

    init(_ transaction: Transaction, _ plan: TableWritePlan, _ index: TableDescription.Index) {
        self.transaction = transaction
        self.plan = plan
        self.index = index
    }

    /// Adds the entry of a row. Keeps an existing one, which a writer has added.
    /// - Throws: `TableErrorCode.unique` if another row has the same values.
    func add(_ key: RawSpan, _ row: RawSpan) throws {
        let prefix = plan.table.rowPrefix.count
        let shape = try plan.columns(of: row)
        try unsafe key.extracting(prefix..<key.byteCount).withUnsafeBytes { key in
            let isKeyless = try unsafe RowWriter.makeEntry(entry, index, of: row, shape, key: key)
            guard isKeyless else {
                waiting.append(entry.bytes)
                return waiting.count == IndexEntries.mostWaiting ? try finish() : ()
            }
            if let owner = try unsafe entry.withBytes({ try unsafe transaction.get($0) }) {
                if unsafe owner.elementsEqual(key) { return }
                throw unsafe duplicate(key, owner)
            }
            try unsafe entry.withBytes { try unsafe transaction.put($0, key) }
        }
    }

    /// Writes the remaining entries. Call it after the last row.
    func finish() throws {
        waiting.sort { RowBytes.order($0, $1) < 0 }
        for entry in waiting { try transaction.put(entry, []) }
        waiting.removeAll(keepingCapacity: true)
    }

    private func duplicate(_ key: UnsafeRawBufferPointer, _ owner: [UInt8]) -> any Error {
        do {
            let values = try unsafe entry.bytes.withUnsafeBytes {
                try unsafe KeyDecoder.values(in: $0.bytes, from: index.prefix.count)
            }
            let rows = try unsafe [owner, Array(key)].map { key in
                try unsafe KeyDecoder.values(in: key.span.bytes).map(\.readable).joined(separator: ", ")
            }
            return CRUDSQLExeError(
                "The rows \(rows[0]) and \(rows[1]) have the same values, so the index cannot be unique.",
                code: .unique, table: plan.table.name,
                column: index.columns.map { plan.table.columns[$0].column.name }.joined(separator: ", "),
                key: values.map(\.readable).joined(separator: ", "))
        } catch { return error }
    }
}
