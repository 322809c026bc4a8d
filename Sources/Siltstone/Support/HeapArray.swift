/// A fixed number of plain values on the heap. Freed with its owner.
///
/// Unlike `Array` it has no reference count and, in release builds, no bounds check; debug builds check bounds.
struct HeapArray<Element: BitwiseCopyable>: ~Copyable, Sendable {
    /// The elements. Unowned: must not outlive the array.
    let elements: ElementRow<Element>

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
}
