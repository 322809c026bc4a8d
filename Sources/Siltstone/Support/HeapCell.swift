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
        address = .allocate(capacity: 1)
        address.initialize(to: value)
    }

    deinit {
        address.deinitialize(count: 1)
        address.deallocate()
    }

    @inline(__always)
    var value: Value {
        unsafeAddress { UnsafePointer(address) }
        nonmutating unsafeMutableAddress { address }
    }
}

/// Room on the heap for one value, which is there or not.
///
/// An optional in a ``HeapCell`` lost: it is copied out and in for each change of the value.
@safe
struct HeapSlot<Value: ~Copyable>: ~Copyable {
    private let address: UnsafeMutablePointer<Value>
    /// Whether the value is there.
    private(set) var isFull = false

    init() { address = .allocate(capacity: 1) }

    deinit {
        if isFull { address.deinitialize(count: 1) }
        address.deallocate()
    }

    /// Puts a value in; the slot must be empty.
    @inline(__always)
    mutating func fill(_ value: consuming Value) {
        precondition(!isFull)
        address.initialize(to: value)
        isFull = true
    }

    /// Ends the value, if it is there.
    @inline(__always)
    mutating func clear() {
        if isFull { address.deinitialize(count: 1) }
        isFull = false
    }

    /// The value, which must be there.
    @inline(__always)
    var value: Value {
        unsafeAddress {
            assert(isFull)
            return UnsafePointer(address)
        }
        nonmutating unsafeMutableAddress {
            assert(isFull)
            return address
        }
    }
}
