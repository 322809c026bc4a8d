/// Where a record lies in a batch, to be read. As long as the batch lives and is not filled anew.
@safe @frozen @usableFromInline
struct RecordPlace: Comparable {
    @usableFromInline let address: UnsafePointer<Record>

    @inlinable @inline(__always)
    init(_ address: UnsafePointer<Record>) { self.address = address }

    /// A place that nobody looks at.
    static var none: RecordPlace {
        RecordPlace(UnsafePointer(bitPattern: MemoryLayout<Record>.alignment).unsafelyUnwrapped)
    }

    @inline(__always)
    var record: Record { address.pointee }

    @inlinable @inline(__always)
    var key: Bytes { address.pointee.key }

    @inlinable @inline(__always)
    var value: Bytes { address.pointee.value }

    @inline(__always)
    var sequence: SequenceNumber { address.pointee.sequence }

    @inlinable @inline(__always)
    var kind: RecordKind { address.pointee.kind }

    /// The place behind it.
    @inlinable @inline(__always)
    func successor() -> RecordPlace { RecordPlace(address.successor()) }

    @inlinable @inline(__always)
    static func == (one: RecordPlace, other: RecordPlace) -> Bool { one.address == other.address }

    @inlinable @inline(__always)
    static func < (one: RecordPlace, other: RecordPlace) -> Bool { one.address < other.address }

    @inline(__always)
    static func + (place: RecordPlace, count: Int) -> RecordPlace { RecordPlace(place.address + count) }

    @inline(__always)
    static func - (place: RecordPlace, count: Int) -> RecordPlace { RecordPlace(place.address - count) }

    @inline(__always)
    static func - (end: RecordPlace, start: RecordPlace) -> Int { end.address - start.address }

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
        self.start = start
        next = start
        end = start + count
    }

    /// - Parameter memory: not initialised.
    init(_ memory: UnsafeMutableBufferPointer<Record>) {
        // A buffer for at least one record has an address.
        self.init(memory.baseAddress.unsafelyUnwrapped, count: memory.count)
    }

    /// The records that were put, in a row.
    var row: RecordRow { RecordRow(start: RecordPlace(UnsafePointer(start)), end: place) }

    /// Takes all records out again.
    mutating func removeAll() { next = start }

    @inline(__always)
    var isFull: Bool { next == end }

    /// Where the next record goes.
    @inline(__always)
    var place: RecordPlace { RecordPlace(UnsafePointer(next)) }

    /// Puts a record; there must be room for it.
    @inline(__always)
    mutating func put(_ record: Record) {
        assert(next < end)
        next.initialize(to: record)
        next += 1
    }
}
