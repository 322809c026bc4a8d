/// Records in key order, which a cursor of a memtable or a segment hands over together.
///
/// Cursors hand over records by the dozen, so that the choice of the kind of source is made once for each dozen and
/// the loop over records has neither a call nor a branch on it. The memory belongs to one reader and is reused.
struct RecordBatch: ~Copyable {
    /// Records filled in.
    private(set) var count = 0
    private let records: HeapArray<Record>

    /// - Parameter capacity: records that fit.
    init(capacity: Int) { records = HeapArray(count: capacity) }

    /// Records that fit.
    @inline(__always)
    var capacity: Int { records.count }

    @inline(__always)
    mutating func removeAll() { count = 0 }

    /// The first record's place; good until the batch goes.
    @inline(__always)
    var start: RecordPlace { records.place(0) }

    /// Adds a record; the batch must not be full.
    @inline(__always)
    mutating func append(_ record: Record) {
        records[count] = record
        count &+= 1
    }

    /// Room for records behind those that are there, until there are `last`.
    @inline(__always)
    func room(upTo last: Int) -> RecordRoom { records.room(from: count, to: last) }

    /// Counts the records that were put into ``room(upTo:)``.
    @inline(__always)
    mutating func grow(to room: RecordRoom) {
        count = room.place - start
        assert(count <= capacity)
    }

    @inline(__always)
    subscript(index: Int) -> Record {
        assert(index >= 0 && index < count)
        return records[index]
    }
}
