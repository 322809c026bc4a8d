import Synchronization

/// A fixed number of atomic integers on the heap, zeros at first. Freed with its owner.
///
/// `@unchecked Sendable`: all accesses are atomic.
@safe
struct AtomicArray<Value: AtomicRepresentable & FixedWidthInteger>: ~Copyable, @unchecked Sendable {
    private let start: UnsafeMutablePointer<Atomic<Value>>
    let count: Int

    init(count: Int) {
        self.count = count
        unsafe start = .allocate(capacity: max(1, count))
        for index in 0..<count { unsafe (start + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe start.deinitialize(count: count)
        unsafe start.deallocate()
    }

    subscript(index: Int) -> Atomic<Value> {
        @inline(__always) unsafeAddress {
            assert(index >= 0 && index < count)
            return unsafe UnsafePointer(start + index)
        }
    }

    /// Prefetches an element.
    func prefetch(_ index: Int) {
        assert(index >= 0 && index < count)
        unsafe Prefetch.line(UnsafeRawPointer(start + index))
    }
}
