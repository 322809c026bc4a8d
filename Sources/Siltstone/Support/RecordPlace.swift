/// A pointer to a record in a batch, for reading. Unowned: valid until the batch is freed or refilled.
@safe @frozen @usableFromInline
struct RecordPlace: Comparable {
    @usableFromInline let address: UnsafePointer<Record>

    @inlinable @inline(__always)
    init(_ address: UnsafePointer<Record>) { unsafe self.address = unsafe address }

    /// A placeholder that nobody dereferences.
    static var none: RecordPlace {
        unsafe RecordPlace(UnsafePointer(bitPattern: MemoryLayout<Record>.alignment).unsafelyUnwrapped)
    }

    @inline(__always)
    var record: Record { unsafe address.pointee }

    @inlinable @inline(__always)
    var key: Bytes { unsafe address.pointee.key }

    @inlinable @inline(__always)
    var value: Bytes { unsafe address.pointee.value }

    @inline(__always)
    var sequence: SequenceNumber { unsafe address.pointee.sequence }

    @inlinable @inline(__always)
    var kind: RecordKind { unsafe address.pointee.kind }

    /// Returns a pointer to the next record.
    @inlinable @inline(__always)
    func successor() -> RecordPlace { unsafe RecordPlace(address.successor()) }

    @inlinable @inline(__always)
    static func == (one: RecordPlace, other: RecordPlace) -> Bool { unsafe one.address == other.address }

    @inlinable @inline(__always)
    static func < (one: RecordPlace, other: RecordPlace) -> Bool { unsafe one.address < other.address }

    @inline(__always)
    static func + (place: RecordPlace, count: Int) -> RecordPlace { unsafe RecordPlace(place.address + count) }

    @inline(__always)
    static func - (place: RecordPlace, count: Int) -> RecordPlace { unsafe RecordPlace(place.address - count) }

    @inline(__always)
    static func - (end: RecordPlace, start: RecordPlace) -> Int { unsafe end.address - start.address }

    @inline(__always)
    static func += (place: inout RecordPlace, count: Int) { place = place + count }
}

/// Storage for records in a batch, which is filled from its start.
@safe
struct RecordBuffer {
    private let start: UnsafeMutablePointer<Record>
    private var next: UnsafeMutablePointer<Record>
    private let end: UnsafeMutablePointer<Record>

    /// Creates empty storage.
    /// - Parameters:
    ///   - start: the position of the first record.
    ///   - count: number of records that fit.
    @inline(__always)
    init(_ start: UnsafeMutablePointer<Record>, count: Int) {
        unsafe self.start = unsafe start
        unsafe next = unsafe start
        unsafe end = unsafe start + count
    }

    /// Creates empty storage.
    /// - Parameter memory: uninitialized memory for at least one record.
    init(_ memory: UnsafeMutableBufferPointer<Record>) {
        // A buffer for at least one record has an address.
        unsafe self.init(memory.baseAddress.unsafelyUnwrapped, count: memory.count)
    }

    /// The stored records.
    var row: RecordRow { unsafe RecordRow(start: RecordPlace(UnsafePointer(start)), end: place) }

    /// Removes all records.
    mutating func removeAll() { unsafe next = unsafe start }

    @inline(__always)
    var isFull: Bool { unsafe next == end }

    /// The position of the next record.
    @inline(__always)
    var place: RecordPlace { unsafe RecordPlace(UnsafePointer(next)) }

    /// Appends a record; the storage must not be full.
    @inline(__always)
    mutating func put(_ record: Record) {
        unsafe assert(next < end)
        unsafe next.initialize(to: record)
        unsafe next += 1
    }
}
