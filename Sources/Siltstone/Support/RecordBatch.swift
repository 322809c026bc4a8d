/// Records in key order, which a cursor of a memtable or a segment returns together.
///
/// A cursor returns a batch of records at a time. The reader checks the type of the cursor once for each batch, so the
/// loop over its records has neither a call nor a branch for that. The memory belongs to one reader and is reused.
struct RecordBatch: ~Copyable {
    /// Number of records in the batch.
    private(set) var count = 0
    private let records: HeapArray<Record>

    /// Creates an empty batch.
    /// - Parameter capacity: number of records that fit.
    init(capacity: Int) { records = HeapArray(count: capacity) }

    /// Number of records that fit.
    @inline(__always)
    var capacity: Int { records.count }

    @inline(__always)
    mutating func removeAll() { count = 0 }

    /// A pointer to the first record; must not outlive the batch.
    @inline(__always)
    var start: RecordPlace { records.elements.recordPlace(0) }

    /// Appends a record; the batch must not be full.
    @inline(__always)
    mutating func append(_ record: Record) {
        records[count] = record
        count &+= 1
    }

    /// Returns the storage after the present records, up to a total of `last` records in the batch.
    @inline(__always)
    func room(upTo last: Int) -> RecordBuffer { records.elements.room(from: count, to: last) }

    /// Adds the records that the caller has put into ``room(upTo:)`` to the batch.
    @inline(__always)
    mutating func grow(to room: RecordBuffer) {
        count = room.place - start
        assert(count <= capacity)
    }

    @inline(__always)
    subscript(index: Int) -> Record {
        assert(index >= 0 && index < count)
        return records[index]
    }
}
