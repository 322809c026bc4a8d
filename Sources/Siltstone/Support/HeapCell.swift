/// One value on the heap, at an address that never changes. Freed with its owner.
///
/// A class keeps its frequently changed state in a cell, or state that is set once after the initializer. If the state
/// were a property of the class, each access would be checked for exclusivity. That costs several percent of a scan.
///
/// `@unchecked Sendable`: the owner states which lock, or which thread, guards the value. A class whose other fields
/// are constant then needs no `@unchecked` of its own.
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

    /// A pointer to the value. The owner returns it from the `unsafeAddress` accessor of a property.
    @inline(__always)
    var place: UnsafePointer<Value> { unsafe UnsafePointer(address) }

    /// Same as ``place``, for the `unsafeMutableAddress` accessor.
    @inline(__always)
    var mutablePlace: UnsafeMutablePointer<Value> { unsafe address }

    @inline(__always)
    var value: Value {
        unsafeAddress { unsafe UnsafePointer(address) }
        nonmutating unsafeMutableAddress { unsafe address }
    }
}

/// Heap storage for one value, which its user puts in and takes out again.
///
/// An optional in a ``HeapCell`` measured slower, because Swift copies the value out and back on every change.
@safe
struct HeapSlot<Value: ~Copyable>: ~Copyable {
    /// A pointer to the storage. Unowned: must not outlive the slot.
    let place: HeapPlace<Value>

    init() { place = unsafe HeapPlace(.allocate(capacity: 1)) }

    /// The slot must be empty: a value left in it leaks.
    deinit { unsafe place.address.deallocate() }

    /// Puts a value into the slot, which must be empty.
    @inline(__always)
    func fill(_ value: consuming Value) { place.fill(value) }

    /// Takes the value out of the slot, which must not be empty.
    @inline(__always)
    func take() -> Value { place.take() }

    /// The value. The slot must not be empty.
    @inline(__always)
    var value: Value {
        unsafeAddress { unsafe UnsafePointer(place.address) }
        nonmutating unsafeMutableAddress { unsafe place.address }
    }
}

/// A pointer to the storage of a value, in a ``HeapSlot`` or an arena. Unowned: must not outlive the storage.
@safe
struct HeapPlace<Value: ~Copyable> {
    fileprivate let address: UnsafeMutablePointer<Value>

    init(_ address: UnsafeMutablePointer<Value>) { unsafe self.address = unsafe address }

    /// Puts a value into the storage, which must be empty.
    @inline(__always)
    func fill(_ value: consuming Value) { unsafe address.initialize(to: value) }

    /// Takes the value out of the storage, which must not be empty.
    @inline(__always)
    func take() -> Value { unsafe address.move() }

    /// The value. The storage must not be empty.
    @inline(__always)
    var value: Value {
        unsafeAddress { unsafe UnsafePointer(address) }
        nonmutating unsafeMutableAddress { unsafe address }
    }
}

/// `@unchecked Sendable`: the owner of the storage decides which thread may access the value when.
extension HeapPlace: @unchecked Sendable where Value: Sendable & ~Copyable {}
