/// A few records in key order that a cursor of a memtable or a segment has filled in at one go.
///
/// Cursors hand over records by the dozen, so that the choice of the kind of source is made once for each dozen and
/// the loop over records has neither a call nor a branch on it. The buffer belongs to one reader and is reused.
struct RecordBatch: ~Copyable {
    /// Records that fit.
    let capacity: Int
    /// Records filled in.
    private(set) var count = 0
    private let storage: UnsafeMutablePointer<Record>

    init(capacity: Int) {
        self.capacity = capacity
        storage = .allocate(capacity: capacity)
    }

    deinit { storage.deallocate() }

    @inline(__always)
    var isFull: Bool { count == capacity }

    @inline(__always)
    mutating func removeAll() { count = 0 }

    /// The first record's address; good until the batch goes.
    @inline(__always)
    var start: UnsafePointer<Record> { UnsafePointer(storage) }

    /// Adds a record; the batch must not be full.
    @inline(__always)
    mutating func append(_ record: Record) {
        assert(count < capacity)
        (storage + count).initialize(to: record)
        count &+= 1
    }

    /// Where the next record goes.
    @inline(__always)
    var next: UnsafeMutablePointer<Record> { storage + count }

    /// Counts the records that were put at ``next`` and behind it.
    @inline(__always)
    mutating func grow(to end: UnsafeMutablePointer<Record>) {
        count = end - storage
        assert(count <= capacity)
    }

    /// Puts `record` in the place of the last one.
    @inline(__always)
    mutating func replaceLast(_ record: Record) {
        assert(count > 0)
        storage[count &- 1] = record
    }

    @inline(__always)
    subscript(index: Int) -> Record {
        assert(index >= 0 && index < count)
        return storage[index]
    }
}
