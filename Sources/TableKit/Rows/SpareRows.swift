import Synchronization

/// Keeps the memory of one large row buffer for the next insert of the process.
///
/// Large inserts often follow each other. Otherwise the system would map and clear new pages for each, which takes a
/// tenth of an insert.
enum SpareRows {
    private static let spare = Mutex<RowBuffer?>(nil)
    /// The capacities that are kept, in bytes.
    private static let bytes = 1 << 16...1 << 22

    /// Returns an empty buffer.
    static func take() -> RowBuffer {
        var rows = spare.withLock { $0.take() } ?? RowBuffer()
        rows.removeAll()
        return rows
    }

    /// Keeps the memory of a buffer. If the buffer has other references, the next insert allocates its own.
    static func give(_ rows: RowBuffer) {
        if bytes.contains(rows.bytes.capacity) { spare.withLock { $0 = rows } }
    }
}
