/// A fixed number of plain values on the heap. Freed with its owner.
///
/// Against `Array` it saves the reference count and, in release builds, the bounds check; debug builds check bounds.
struct HeapArray<Element: BitwiseCopyable>: ~Copyable, Sendable {
    private let elements: ElementRow<Element>

    /// - Parameter count: elements, undefined at first.
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

    /// Has elements loaded into the caches.
    @inline(__always)
    func prefetch(from first: Int, count: Int) { elements.prefetch(from: first, count: count) }
}

extension HeapArray where Element == UInt64 {
    /// How many of `length` ascending numbers from `first` on are below `number`.
    @inline(__always)
    func count(below number: UInt64, from first: Int, of length: Int) -> Int {
        elements.count(below: number, from: first, of: length)
    }
}

extension HeapArray where Element == Record {
    /// The place of a record.
    @inline(__always)
    func place(_ index: Int) -> RecordPlace { elements.recordPlace(index) }

    /// Room for records from `first` up to `last`.
    @inline(__always)
    func room(from first: Int, to last: Int) -> RecordRoom { elements.room(from: first, to: last) }
}
