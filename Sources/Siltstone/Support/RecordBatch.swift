/// A batch holds consecutive records of one cursor, in scan order. ``MergingCursor`` uses one as storage only.
///
/// The reader makes one virtual call for each batch. So the loop over its records has no call for that. The memory
/// belongs to one reader and is reused.
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

    /// Returns the free storage. It ends where the batch would have `last` records.
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
