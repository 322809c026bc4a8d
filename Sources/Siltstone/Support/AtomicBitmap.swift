import Synchronization

/// Bits that several threads set and test, to remember what has been verified. They are never cleared.
///
/// Relaxed order is enough: what a bit tells of is immutable, so whoever sees it set may read it, and whoever does not
/// verifies once more.
///
/// `@unchecked Sendable`: the words are touched only as atomics until the owner goes.
struct AtomicBitmap: ~Copyable, @unchecked Sendable {
    /// The bits, for whoever knows that the bitmap lives.
    let bits: AtomicBits

    /// - Parameter count: bits, all clear.
    init(count: Int) { bits = AtomicBits(count: count) }

    deinit { bits.deallocate() }

    @inline(__always)
    func isSet(_ index: Int) -> Bool { bits.isSet(index) }

    func set(_ index: Int) { bits.set(index) }
}

/// The bits of an ``AtomicBitmap``, by address.
@safe
struct AtomicBits: @unchecked Sendable {  // touched only as atomics
    private let words: UnsafeMutablePointer<UInt64>

    fileprivate init(count: Int) {
        let capacity = count / 64 + 1
        unsafe words = .allocate(capacity: capacity)
        unsafe words.initialize(repeating: 0, count: capacity)
    }

    fileprivate func deallocate() { unsafe words.deallocate() }

    @inline(__always)
    private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        // Atomic<UInt64> has the layout of UInt64 (SE-0410), and is loaded and stored in place.
        unsafe UnsafeMutableRawPointer(words + (index &>> 6)).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inline(__always)
    func isSet(_ index: Int) -> Bool {
        unsafe word(index).pointee.load(ordering: .relaxed) & (1 &<< UInt64(truncatingIfNeeded: index & 63)) != 0
    }

    func set(_ index: Int) {
        unsafe word(index).pointee.bitwiseOr(1 << UInt64(index & 63), ordering: .relaxed)
    }
}
