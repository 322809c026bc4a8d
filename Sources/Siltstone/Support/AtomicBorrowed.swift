import Synchronization

/// An optional ``Borrowed`` reference that several threads exchange.
///
/// If the object is not safe for several threads, only the thread that has taken the reference out may use it.
struct AtomicBorrowed<Object: AnyObject>: ~Copyable, Sendable {
    private let address: Atomic<UInt>

    init(_ reference: Borrowed<Object>? = nil) { address = Atomic(reference?.bits ?? 0) }

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
        Borrowed(bits: address.exchange(reference?.bits ?? 0, ordering: .sequentiallyConsistent))
    }
}

/// A fixed number of references that several threads exchange, no two of them in one cache line. All are nil at first.
///
/// If the objects are not safe for several threads, only the thread that has taken a reference out may use its object.
struct AtomicBorrowedRow<Object: AnyObject>: ~Copyable, Sendable {
    /// Words from one reference to the next: a cache line.
    private static var stride: Int { 8 }

    private let addresses: AtomicArray<UInt>

    init(count: Int) { addresses = AtomicArray(count: count * Self.stride) }

    /// Stores a reference at an index.
    /// - Returns: the previous one.
    @inline(__always)
    func exchange(_ reference: Borrowed<Object>?, at index: Int) -> Borrowed<Object>? {
        let address = reference?.bits ?? 0
        return Borrowed(bits: addresses[index &* Self.stride].exchange(address, ordering: .sequentiallyConsistent))
    }

    /// Stores a reference at an index if there is none.
    /// - Returns: true if it was stored.
    func fill(_ reference: Borrowed<Object>, at index: Int) -> Bool {
        addresses[index &* Self.stride].compareExchange(
            expected: 0, desired: reference.bits, ordering: .sequentiallyConsistent
        ).exchanged
    }
}
