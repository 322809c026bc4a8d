/// An unowned reference to an object. Creating, copying and using it neither retains nor releases the object, except by
/// ``retaining(_:)`` and ``object``.
///
/// An ordinary reference is retained for each use. A retain is an atomic operation that waits for earlier loads (on
/// x86), and takes a tenth of the time of a point read in memory.
///
/// Code that creates a borrowed reference states who keeps the object, and for how long.
@safe
struct Borrowed<Object: AnyObject> {
    private let reference: Unmanaged<Object>

    @inline(__always)
    init(_ object: Object) { unsafe reference = unsafe .passUnretained(object) }

    /// Creates a reference that retains its object until ``release()``. For an object that moves from owner to owner
    /// without being retained each time.
    static func retaining(_ object: Object) -> Borrowed {
        _ = unsafe Unmanaged.passRetained(object)
        return Borrowed(object)
    }

    /// Releases an object that ``retaining(_:)`` has retained. Called once; nobody may use the reference afterwards.
    func release() { unsafe reference.release() }

    /// Runs `body` with the object. `body` must not keep it.
    @inline(__always)
    func with<R>(_ body: (Object) -> R) -> R { unsafe reference._withUnsafeGuaranteedRef(body) }

    /// Runs `body` with the object. `body` must not keep it.
    @inline(__always)
    func with<R, E: Error>(_ body: (Object) throws(E) -> R) throws(E) -> R {
        // The standard library's function rethrows untyped errors, so the typed error travels in a result.
        try unsafe reference._withUnsafeGuaranteedRef { object in Result { () throws(E) in try body(object) } }.get()
    }

    /// The object's address, never 0, for storage in an atomic word.
    @inline(__always)
    var bits: UInt { unsafe UInt(bitPattern: reference.toOpaque()) }

    /// Creates a reference from its ``bits``; nil from 0. The object must be alive.
    @inline(__always)
    init?(bits: UInt) {
        guard let address = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        unsafe reference = unsafe .fromOpaque(address)
    }

    /// The object, as an ordinary strong reference.
    @inline(__always)
    var object: Object { unsafe reference.takeUnretainedValue() }
}

extension Borrowed: Equatable {
    /// Returns true if both refer to the same object.
    @inline(__always)
    static func == (one: Borrowed, other: Borrowed) -> Bool {
        unsafe one.reference.toOpaque() == other.reference.toOpaque()
    }
}

extension Borrowed: @unchecked Sendable where Object: Sendable {}
