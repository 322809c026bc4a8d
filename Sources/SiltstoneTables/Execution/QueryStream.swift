import Siltstone
import TableKit

/// The result of a query without joins, batch by batch.
final class QueryStream: RowStream {
    private let rows: any RowSource
    private let shape: RowShape
    private var isAtEnd = false
    /// The rows of the last batch. Their memory is used again, unless somebody still holds the batch.
    private var buffer = RowBuffer()

    /// Rows and bytes after which a batch ends.
    private static let batchRows = 256
    private static let batchBytes = 1 << 20

    init(_ rows: any RowSource, shape: RowShape) {
        self.rows = rows
        self.shape = shape
    }

    func next() throws -> RowBatch? {
        if isAtEnd { return nil }
        // Taken out of the stream: the stream must not hold memory that is written.
        var buffer = RowBuffer()
        swap(&buffer, &self.buffer)
        buffer.removeAll()
        isAtEnd = true
        try mappingStoreErrors {
            try rows.forEach { _, row in
                buffer.append(row)
                isAtEnd = buffer.count < Self.batchRows && buffer.bytes.count < Self.batchBytes
                return isAtEnd
            }
        }
        if buffer.isEmpty { return nil }
        var batch = RowBatch(shape: shape)
        batch.rows = buffer
        self.buffer = buffer
        return batch
    }
}

/// One row, or none: the result of a query by the key.
final class SingleRow: RowStream {
    private var batch: RowBatch?

    init(_ batch: RowBatch?) { self.batch = batch }

    func next() -> RowBatch? {
        defer { batch = nil }
        return batch
    }
}

/// Runs what reads, with errors of the store as errors of tables.
func mappingStoreErrors<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as StoreError { throw error.asTableError }
}
