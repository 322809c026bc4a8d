/// A fixed number of plain values on the heap. Freed with its owner.
///
/// Unlike `Array` it has no reference count and, in release builds, no bounds check; debug builds check bounds.
struct HeapArray<Element: BitwiseCopyable>: ~Copyable, Sendable {
    private let elements: ElementRow<Element>

    /// Creates an array of undefined elements.
    /// - Parameter count: number of elements.
    init(count: Int) { elements = ElementRow(count: count) }

    init(repeating value: Element, count: Int) { elements = ElementRow(repeating: value, count: count) }

    deinit { elements.deallocate() }

    @inline(__always)
    var count: Int { elements.count }

    @inline(__always)
    subscript(index: Int) -> Element {
        get { elements[index] }
        nonmutating set { elements[index] = newValue }
        nonmutating _modify { yield &elements[index] }
    }

    /// Copies elements within the array; the two ranges may overlap.
    @inline(__always)
    func move(from source: Int, to target: Int, count: Int) { elements.move(from: source, to: target, count: count) }

    /// Prefetches elements.
    @inline(__always)
    func prefetch(from first: Int, count: Int) { elements.prefetch(from: first, count: count) }
}

extension HeapArray where Element == UInt64 {
    /// Returns how many of `length` ascending numbers, from index `first` on, are less than `number`.
    @inline(__always)
    func count(below number: UInt64, from first: Int, of length: Int) -> Int {
        elements.count(below: number, from: first, of: length)
    }
}

extension HeapArray where Element == Record {
    /// Returns a pointer to a record.
    @inline(__always)
    func place(_ index: Int) -> RecordPlace { elements.recordPlace(index) }

    /// Returns the storage for records from `first` up to, not including, `last`.
    @inline(__always)
    func room(from first: Int, to last: Int) -> RecordBuffer { elements.room(from: first, to: last) }
}
