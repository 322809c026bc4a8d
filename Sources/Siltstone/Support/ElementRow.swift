/// Plain values in a row on the heap, by address: for structures that are themselves copied as plain memory.
///
/// The creator calls ``deallocate()`` once, when nobody uses the row any more; ``HeapArray`` does so by itself. Debug
/// builds check bounds, release builds do not.
///
/// `@unchecked Sendable`: filled before another thread sees it and only read afterwards, or guarded as its owner
/// states.
@safe
struct ElementRow<Element: BitwiseCopyable>: BitwiseCopyable, @unchecked Sendable {
    fileprivate let start: UnsafeMutablePointer<Element>
    let count: Int

    /// Creates a row of undefined elements.
    /// - Parameter count: number of elements.
    init(count: Int) {
        precondition(count >= 0)
        self.count = count
        unsafe start = .allocate(capacity: max(1, count))
    }

    /// Creates a row of the elements that fit into `memory`, whose owner frees it.
    init(in memory: MutableBytes) {
        count = memory.count / MemoryLayout<Element>.stride
        unsafe start = unsafe memory.start.bindMemory(to: Element.self, capacity: count)
    }

    init(repeating value: Element, count: Int) {
        self.init(count: count)
        unsafe start.initialize(repeating: value, count: count)
    }

    init(_ elements: [Element]) {
        self.init(count: elements.count)
        unsafe start.initialize(from: elements, count: count)
    }

    /// Frees a row that has allocated its memory itself. Called once.
    func deallocate() { unsafe start.deallocate() }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return unsafe start[index]
        }
        nonmutating set {
            assert(index >= 0 && index < count)
            unsafe (start + index).initialize(to: newValue)
        }
        nonmutating _modify {
            assert(index >= 0 && index < count)
            yield unsafe &start[index]
        }
    }

    /// Copies elements within the row; the two ranges may overlap.
    @inline(__always)
    func move(from source: Int, to target: Int, count moved: Int) {
        assert(min(source, target, moved) >= 0 && max(source, target) + moved <= count)
        unsafe (start + target).update(from: start + source, count: moved)
    }

    /// Prefetches elements.
    @inline(__always)
    func prefetch(from first: Int, count: Int) {
        unsafe Prefetch.lines(start + first, count: count &* MemoryLayout<Element>.stride)
    }

    /// Returns a pointer to an element, or to the end if `index` is the count.
    @inline(__always)
    func place(_ index: Int) -> ElementPlace<Element> {
        assert(index >= 0 && index <= count)
        return unsafe ElementPlace(UnsafePointer(start + index))
    }
}

extension ElementRow where Element == UInt64 {
    /// Returns how many of `length` ascending numbers, from index `first` on, are less than `number`. The search has no
    /// branches, because each of its steps would be mispredicted half the time.
    /// - Complexity: O(log `length`)
    @inline(__always)
    func count(below number: UInt64, from first: Int = 0, of length: Int) -> Int {
        assert(first >= 0 && length >= 0 && first + length <= count)
        let numbers = unsafe start + first
        var low = 0
        var left = length
        while left > 0 {
            let half = (left &+ 1) &>> 1
            low = unsafe numbers[low &+ half &- 1] < number ? low &+ half : low
            left &-= half
        }
        return low
    }
}

extension ElementRow where Element == Record {
    /// Returns a pointer to a record.
    @inline(__always)
    func recordPlace(_ index: Int) -> RecordPlace { unsafe RecordPlace(UnsafePointer(start + index)) }

    /// Returns the storage for records from `first` up to, not including, `last`.
    @inline(__always)
    func room(from first: Int, to last: Int) -> RecordBuffer {
        assert(first >= 0 && first <= last && last <= count)
        return unsafe RecordBuffer(start + first, count: last &- first)
    }
}

/// A pointer to a value in an ``ElementRow``. It gives access to a part of the value, where a copy would load all of
/// it.
///
/// `@unchecked Sendable`: as ``ElementRow``.
@safe
struct ElementPlace<Element: BitwiseCopyable>: BitwiseCopyable, Equatable, @unchecked Sendable {
    private let address: UnsafePointer<Element>

    @inline(__always)
    fileprivate init(_ address: UnsafePointer<Element>) { unsafe self.address = unsafe address }

    @inline(__always)
    var value: Element { unsafeAddress { unsafe address } }

    @inline(__always)
    static func == (one: ElementPlace, other: ElementPlace) -> Bool { unsafe one.address == other.address }

    @inline(__always)
    static func += (place: inout ElementPlace, count: Int) { place = unsafe ElementPlace(place.address + count) }
}

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
