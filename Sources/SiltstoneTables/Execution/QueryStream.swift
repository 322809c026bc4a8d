import Siltstone
import TableKit

/// The result of a query without joins, batch by batch.
final class QueryStream: RowStream {
    /// The remaining rows; nil at the end. Released there: a transaction's next write copies the earlier ones while a
    /// stream reads them.
    private var rows: (any RowSource)?
    private let shape: RowShape
    /// The rows of the last batch. Their memory is reused, unless the batch has other references.
    private var buffer = RowBuffer()

    /// The number of rows and of bytes that ends a batch.
    private static let batchRows = 256
    private static let batchBytes = 1 << 20

    init(_ rows: any RowSource, shape: RowShape) {
        self.rows = rows
        self.shape = shape
    }

    func next() throws -> RowBatch? {
        guard let rows else { return nil }
        self.rows = nil
        // Moved out of the stream: a second reference would make each append copy the memory.
        var buffer = RowBuffer()
        swap(&buffer, &self.buffer)
        buffer.removeAll()
        var isFull = false
        try mappingStoreErrors {
            try rows.forEach { _, row in
                buffer.append(row)
                isFull = buffer.count >= Self.batchRows || buffer.bytes.count >= Self.batchBytes
                return !isFull
            }
        }
        if isFull { self.rows = rows }
        if buffer.isEmpty { return nil }
        var batch = RowBatch(shape: shape)
        batch.rows = buffer
        self.buffer = buffer
        return batch
    }
}

/// The result of a look-up by key: one row or none.
final class SingleRow: RowStream {
    private var batch: RowBatch?

    init(_ batch: RowBatch?) { self.batch = batch }

    func next() -> RowBatch? {
        defer { batch = nil }
        return batch
    }
}

/// Runs a read and converts errors of the store to errors of tables.
func mappingStoreErrors<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as StoreError { throw error.asTableError }
}
