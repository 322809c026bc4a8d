import Synchronization

/// The memory of one large buffer of rows, kept for the next insert of the process.
///
/// Large inserts often follow each other. If each gave its memory back, the system would find and clear pages for the next one,
/// which takes a tenth of an insert.
enum SpareRows {
    private static let spare = Mutex<RowBuffer?>(nil)
    /// Smaller buffers are made anew, and larger ones are not kept.
    private static let bytes = 1 << 16...1 << 22

    /// An empty buffer.
    static func take() -> RowBuffer {
        var rows = spare.withLock { $0.take() } ?? RowBuffer()
        rows.removeAll()
        return rows
    }

    /// Keeps the memory of a buffer. If somebody else still has the buffer, the next one gets memory of its own.
    static func give(_ rows: RowBuffer) {
        if bytes.contains(rows.bytes.capacity) { spare.withLock { $0 = rows } }
    }
}
