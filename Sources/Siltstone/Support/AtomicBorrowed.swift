import Synchronization

/// A ``Borrowed`` reference, or none, that several threads exchange.
///
/// `@unchecked Sendable`: the address is touched only as an atomic. An object that is not for several threads must be used
/// by the one alone who has taken its reference out.
@safe
struct AtomicBorrowed<Object: AnyObject>: ~Copyable, @unchecked Sendable {
    private let address: Atomic<UInt>

    init(_ reference: Borrowed<Object>? = nil) { address = Atomic(Self.bits(reference)) }

    @inline(__always)
    private static func bits(_ reference: Borrowed<Object>?) -> UInt { reference?.bits ?? 0 }

    /// The reference, and whatever was written before it was put in.
    @inline(__always)
    func load() -> Borrowed<Object>? { Borrowed(bits: address.load(ordering: .acquiring)) }

    /// As ``load()``, in the one order in which all threads see exchanges.
    @inline(__always)
    func loadInOrder() -> Borrowed<Object>? { Borrowed(bits: address.load(ordering: .sequentiallyConsistent)) }

    /// Puts a reference in.
    /// - Returns: the one before.
    @inline(__always)
    func exchange(_ reference: Borrowed<Object>?) -> Borrowed<Object>? {
        Borrowed(bits: address.exchange(Self.bits(reference), ordering: .sequentiallyConsistent))
    }

    /// Puts a reference in where there is none.
    /// - Returns: whether there was none.
    func fill(_ reference: Borrowed<Object>) -> Bool {
        address.compareExchange(expected: 0, desired: Self.bits(reference), ordering: .sequentiallyConsistent).exchanged
    }
}

/// Places for references that several threads exchange, each in a cache line of its own. All empty at first.
///
/// `@unchecked Sendable`: the places are touched only as atomics.
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
