import Siltstone
import TableKit

/// Adds the entries of rows that were there before their index.
final class IndexEntries {
    private let transaction: Transaction
    private let plan: TableWritePlan
    private let index: TableDescription.Index
    private var entry = KeyEncoder()

    init(_ transaction: Transaction, _ plan: TableWritePlan, _ index: TableDescription.Index) {
        self.transaction = transaction
        self.plan = plan
        self.index = index
    }

    /// Adds the entry of a row. One that is there already, as a writer has put it there, stays.
    /// - Throws: `TableErrorCode.unique` where another row has the same values.
    func add(_ key: RawSpan, _ row: RawSpan) throws {
        let prefix = plan.table.rowPrefix.count
        let shape = try plan.columns(of: row)
        try key.extracting(prefix..<key.byteCount).withUnsafeBytes { key in
            let isKeyless = try RowWriter.makeEntry(&entry, index, of: row, shape, key: key)
            guard isKeyless else {
                return try entry.withBytes { try transaction.put($0, UnsafeRawBufferPointer(start: nil, count: 0)) }
            }
            if let owner = try entry.withBytes({ try transaction.get($0) }) {
                if owner.elementsEqual(key) { return }
                throw duplicate(key, owner)
            }
            try entry.withBytes { try transaction.put($0, key) }
        }
    }

    private func duplicate(_ key: UnsafeRawBufferPointer, _ owner: [UInt8]) -> any Error {
        do {
            let values = try entry.bytes.withUnsafeBytes {
                try KeyDecoder.values(in: $0.bytes, from: index.prefix.count)
            }
            let rows = try [owner, Array(key)].map { key in
                try KeyDecoder.values(in: key.span.bytes).map(\.readable).joined(separator: ", ")
            }
            return CRUDSQLExeError(
                "The rows \(rows[0]) and \(rows[1]) have the same values, so the index cannot be unique.",
                code: .unique, table: plan.table.name,
                column: index.columns.map { plan.table.columns[$0].column.name }.joined(separator: ", "),
                key: values.map(\.readable).joined(separator: ", "))
        } catch { return error }
    }
}
