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
    init(_ object: Object) { reference = .passUnretained(object) }

    /// Runs `body` with the object, which it must not keep.
    @inline(__always)
    func with<R>(_ body: (Object) -> R) -> R { reference._withUnsafeGuaranteedRef(body) }

    /// Runs `body` with the object, which it must not keep.
    @inline(__always)
    func with<R, E: Error>(_ body: (Object) throws(E) -> R) throws(E) -> R {
        // The standard library rethrows any error, not this one: hence the result.
        try reference._withUnsafeGuaranteedRef { object in Result { () throws(E) in try body(object) } }.get()
    }

    /// The object, retained.
    @inline(__always)
    var object: Object { reference.takeUnretainedValue() }
}

extension Borrowed: @unchecked Sendable where Object: Sendable {}
