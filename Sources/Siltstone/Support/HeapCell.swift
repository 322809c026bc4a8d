/// One value on the heap, at an address that never changes. Freed with its owner.
///
/// A class keeps the state that changes often in a cell: as properties of the class, each access would check for exclusive
/// access, which costs several percent of a scan.
///
/// `@unchecked Sendable`: the owner says which lock, or which thread, guards the value. A class whose other fields are
/// constant needs no promise of its own then.
@safe
struct HeapCell<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let address: UnsafeMutablePointer<Value>

    init(_ value: consuming Value) {
        unsafe address = .allocate(capacity: 1)
        unsafe address.initialize(to: value)
    }

    deinit {
        unsafe address.deinitialize(count: 1)
        unsafe address.deallocate()
    }

    /// Where the value is, for an owner's property that stands for it.
    @inline(__always)
    var place: UnsafePointer<Value> { unsafe UnsafePointer(address) }

    @inline(__always)
    var mutablePlace: UnsafeMutablePointer<Value> { unsafe address }

    @inline(__always)
    var value: Value {
        unsafeAddress { unsafe UnsafePointer(address) }
        nonmutating unsafeMutableAddress { unsafe address }
    }
}

/// Room on the heap for one value, which its user puts in and takes out again.
///
/// An optional in a ``HeapCell`` lost: it is copied out and in for each change of the value.
@safe
struct HeapSlot<Value: ~Copyable>: ~Copyable {
    /// The room, for those who use it while the slot is there.
    let place: HeapPlace<Value>

    init() { place = unsafe HeapPlace(.allocate(capacity: 1)) }

    /// The slot must be empty.
    deinit { unsafe place.address.deallocate() }

    /// Puts a value into the slot, which must be empty.
    @inline(__always)
    func fill(_ value: consuming Value) { place.fill(value) }

    /// Takes out the value, which must be there.
    @inline(__always)
    func take() -> Value { place.take() }

    /// The value, which must be there.
    @inline(__always)
    var value: Value {
        unsafeAddress { unsafe UnsafePointer(place.address) }
        nonmutating unsafeMutableAddress { unsafe place.address }
    }
}

/// The room of a ``HeapSlot``, as long as that lives.
@safe
struct HeapPlace<Value: ~Copyable> {
    fileprivate let address: UnsafeMutablePointer<Value>

    fileprivate init(_ address: UnsafeMutablePointer<Value>) { unsafe self.address = unsafe address }

    /// Puts a value into the room, which must be empty.
    @inline(__always)
    func fill(_ value: consuming Value) { unsafe address.initialize(to: value) }

    /// Takes out the value, which must be there.
    @inline(__always)
    func take() -> Value { unsafe address.move() }

    /// The value, which must be there.
    @inline(__always)
    var value: Value {
        unsafeAddress { unsafe UnsafePointer(address) }
        nonmutating unsafeMutableAddress { unsafe address }
    }
}
