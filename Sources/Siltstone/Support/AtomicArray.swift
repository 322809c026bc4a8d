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

/// Bits that several threads set and test, to record which data was verified, or requested from the disk. They are
/// never cleared.
///
/// A set bit guards immutable data, so relaxed order is enough. A reader that sees the bit may read the data. A reader
/// that misses it only does the work again.
///
/// `@unchecked Sendable`: all accesses are atomic until the owner ends.
struct AtomicBitmap: ~Copyable, @unchecked Sendable {
    /// The bits. Unowned: must not outlive the bitmap.
    let bits: AtomicBits

    /// Creates a bitmap without set bits.
    /// - Parameter count: number of bits.
    init(count: Int) { bits = AtomicBits(count: count) }

    deinit { bits.deallocate() }

    @inline(__always)
    func isSet(_ index: Int) -> Bool { bits.isSet(index) }

    func set(_ index: Int) { bits.set(index) }
}

/// The bits of an ``AtomicBitmap``, by address. Unowned: must not outlive the bitmap.
@safe
struct AtomicBits: @unchecked Sendable {  // all accesses are atomic
    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    fileprivate init(count: Int) {
        let capacity = count / 64 + 1
        unsafe words = .allocate(capacity: capacity)
        for index in 0..<capacity { unsafe (words + index).initialize(to: Atomic(0)) }
    }

    fileprivate func deallocate() { unsafe words.deallocate() }

    @inline(__always)
    func isSet(_ index: Int) -> Bool {
        unsafe words[index &>> 6].load(ordering: .relaxed) & (1 &<< UInt64(truncatingIfNeeded: index & 63)) != 0
    }

    func set(_ index: Int) {
        unsafe words[index &>> 6].bitwiseOr(1 << UInt64(index & 63), ordering: .relaxed)
    }
}
