import Synchronization

/// An optional ``Borrowed`` reference that several threads exchange.
///
/// `@unchecked Sendable`: all accesses to the address are atomic. If the object is not safe for several threads, only
/// the thread that has taken the reference out may use it.
@safe
struct AtomicBorrowed<Object: AnyObject>: ~Copyable, @unchecked Sendable {
    private let address: Atomic<UInt>

    init(_ reference: Borrowed<Object>? = nil) { address = Atomic(Self.bits(reference)) }

    @inline(__always)
    private static func bits(_ reference: Borrowed<Object>?) -> UInt { reference?.bits ?? 0 }

    /// Returns the reference. Everything written before it was stored is visible to the caller.
    @inline(__always)
    func load() -> Borrowed<Object>? { Borrowed(bits: address.load(ordering: .acquiring)) }

    /// Same as ``load()``, but sequentially consistent with all exchanges.
    @inline(__always)
    func loadInOrder() -> Borrowed<Object>? { Borrowed(bits: address.load(ordering: .sequentiallyConsistent)) }

    /// Stores a reference.
    /// - Returns: the previous one.
    @inline(__always)
    func exchange(_ reference: Borrowed<Object>?) -> Borrowed<Object>? {
        Borrowed(bits: address.exchange(Self.bits(reference), ordering: .sequentiallyConsistent))
    }

    /// Stores a reference if there is none.
    /// - Returns: true if it was stored.
    func fill(_ reference: Borrowed<Object>) -> Bool {
        address.compareExchange(expected: 0, desired: Self.bits(reference), ordering: .sequentiallyConsistent).exchanged
    }
}

/// A fixed number of references that several threads exchange, each in a cache line of its own. All are nil at first.
///
/// `@unchecked Sendable`: all accesses to the references are atomic.
@safe
struct AtomicBorrowedRow<Object: AnyObject>: ~Copyable, @unchecked Sendable {
    private static var stride: Int { 64 }

    private let start: UnsafeMutableRawPointer
    private let count: Int

    init(count: Int) {
        self.count = count
        unsafe start = .allocate(byteCount: count * Self.stride, alignment: Self.stride)
        for index in 0..<count {
            unsafe (start + index * Self.stride).initializeMemory(as: AtomicBorrowed<Object>.self, to: AtomicBorrowed())
        }
    }

    deinit { unsafe start.deallocate() }

    subscript(index: Int) -> AtomicBorrowed<Object> {
        @inline(__always) unsafeAddress {
            assert(index >= 0 && index < count)
            return unsafe UnsafePointer(
                (start + index &* Self.stride).assumingMemoryBound(to: AtomicBorrowed<Object>.self))
        }
    }
}
