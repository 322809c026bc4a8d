/// A reference to an object that someone else keeps: to make one, copy it or use it neither retains nor releases.
///
/// An ordinary reference is retained for each use. That is a locked operation, which waits for all loads before it and
/// takes a tenth of a short read.
///
/// Whoever makes one says who keeps the object, and for how long.
@safe
struct Borrowed<Object: AnyObject> {
    private let reference: Unmanaged<Object>

    @inline(__always)
    init(_ object: Object) { unsafe reference = unsafe .passUnretained(object) }

    /// A reference that keeps its object itself, until ``release()``: for what is handed from one owner to the next without
    /// being counted each time.
    static func retaining(_ object: Object) -> Borrowed {
        _ = unsafe Unmanaged.passRetained(object)
        return Borrowed(object)
    }

    /// Gives up an object that ``retaining(_:)`` has kept. Once, and nobody uses the reference afterwards.
    func release() { unsafe reference.release() }

    /// Runs `body` with the object, which it must not keep.
    @inline(__always)
    func with<R>(_ body: (Object) -> R) -> R { unsafe reference._withUnsafeGuaranteedRef(body) }

    /// Runs `body` with the object, which it must not keep.
    @inline(__always)
    func with<R, E: Error>(_ body: (Object) throws(E) -> R) throws(E) -> R {
        // The standard library rethrows any error, not this one: hence the result.
        try unsafe reference._withUnsafeGuaranteedRef { object in Result { () throws(E) in try body(object) } }.get()
    }

    /// The object's address, never 0.
    @inline(__always)
    var bits: UInt { unsafe UInt(bitPattern: reference.toOpaque()) }

    /// A reference from its ``bits``; nil from 0.
    @inline(__always)
    init?(bits: UInt) {
        guard let address = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        unsafe reference = unsafe .fromOpaque(address)
    }

    /// The object, retained.
    @inline(__always)
    var object: Object { unsafe reference.takeUnretainedValue() }
}

extension Borrowed: Equatable {
    /// Whether both refer to the same object.
    @inline(__always)
    static func == (one: Borrowed, other: Borrowed) -> Bool {
        unsafe one.reference.toOpaque() == other.reference.toOpaque()
    }
}

extension Borrowed: @unchecked Sendable where Object: Sendable {}
