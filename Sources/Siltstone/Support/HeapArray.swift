/// A fixed number of plain values on the heap. Freed with its owner.
///
/// Against `Array` it saves the reference count and, in release builds, the bounds check; debug builds check bounds.
///
/// `@unchecked Sendable`: filled before anyone else sees it and only read from then on, or guarded as its owner says.
@safe
struct HeapArray<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    /// The elements, for whoever knows that the array lives.
    let elements: ElementRow<Element>
    fileprivate var start: UnsafeMutablePointer<Element> { @inline(__always) get { elements.start } }

    @inline(__always)
    var count: Int { elements.count }

    /// - Parameter count: elements, undefined at first.
    init(count: Int) { elements = ElementRow(count: count) }

    init(repeating value: Element, count: Int) {
        self.init(count: count)
        elements.start.initialize(repeating: value, count: count)
    }

    deinit { elements.deallocate() }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return start[index]
        }
        nonmutating set {
            assert(index >= 0 && index < count)
            (start + index).initialize(to: newValue)
        }
        nonmutating _modify {
            assert(index >= 0 && index < count)
            yield &start[index]
        }
    }

    /// Copies elements within the array; the two ranges may overlap.
    @inline(__always)
    func move(from source: Int, to target: Int, count moved: Int) {
        assert(min(source, target, moved) >= 0 && max(source, target) + moved <= count)
        (start + target).update(from: start + source, count: moved)
    }

    /// Has elements loaded into the caches.
    @inline(__always)
    func prefetch(from first: Int, count: Int) {
        Prefetch.lines(start + first, count: count &* MemoryLayout<Element>.stride)
    }
}

extension HeapArray where Element == UInt64 {
    /// How many of `length` ascending numbers from `first` on are below `number`.
    @inline(__always)
    func count(below number: UInt64, from first: Int, of length: Int) -> Int {
        assert(first >= 0 && length >= 0 && first + length <= count)
        return elements.count(below: number, from: first, of: length)
    }
}

extension HeapArray where Element == Record {
    /// The place of a record.
    @inline(__always)
    func place(_ index: Int) -> RecordPlace { RecordPlace(UnsafePointer(start + index)) }

    /// Room for records from `first` up to `last`.
    @inline(__always)
    func room(from first: Int, to last: Int) -> RecordRoom {
        assert(first >= 0 && first <= last && last <= count)
        return RecordRoom(start + first, count: last &- first)
    }
}
