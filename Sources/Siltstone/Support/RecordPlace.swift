/// Where a record lies in a batch, to be read. As long as the batch lives and is not filled anew.
@safe @frozen @usableFromInline
struct RecordPlace: Comparable {
    @usableFromInline let address: UnsafePointer<Record>

    @inlinable @inline(__always)
    init(_ address: UnsafePointer<Record>) { unsafe self.address = unsafe address }

    /// A place that nobody looks at.
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

    /// The place behind it.
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

/// Room for records in a batch, which are put there one behind the other.
@safe
struct RecordRoom {
    private let start: UnsafeMutablePointer<Record>
    private var next: UnsafeMutablePointer<Record>
    private let end: UnsafeMutablePointer<Record>

    /// - Parameters:
    ///   - start: where the first record goes.
    ///   - count: records that fit.
    @inline(__always)
    init(_ start: UnsafeMutablePointer<Record>, count: Int) {
        unsafe self.start = unsafe start
        unsafe next = unsafe start
        unsafe end = unsafe start + count
    }

    /// - Parameter memory: not initialised.
    init(_ memory: UnsafeMutableBufferPointer<Record>) {
        // A buffer for at least one record has an address.
        unsafe self.init(memory.baseAddress.unsafelyUnwrapped, count: memory.count)
    }

    /// The records that were put, in a row.
    var row: RecordRow { unsafe RecordRow(start: RecordPlace(UnsafePointer(start)), end: place) }

    /// Takes all records out again.
    mutating func removeAll() { unsafe next = unsafe start }

    @inline(__always)
    var isFull: Bool { unsafe next == end }

    /// Where the next record goes.
    @inline(__always)
    var place: RecordPlace { unsafe RecordPlace(UnsafePointer(next)) }

    /// Puts a record; there must be room for it.
    @inline(__always)
    mutating func put(_ record: Record) {
        unsafe assert(next < end)
        unsafe next.initialize(to: record)
        unsafe next += 1
    }
}
