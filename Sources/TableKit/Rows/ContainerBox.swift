/// A container that a coder hands out again and again, with what it refers to.
class AnyContainerBox {
    /// The type of the container's keys.
    let key: ObjectIdentifier
    /// Kept for the container, which does not keep it.
    private let numbers: PropertyNumbers?

    fileprivate init(_ key: ObjectIdentifier, _ numbers: PropertyNumbers?) {
        self.key = key
        self.numbers = numbers
    }

    /// Whether anybody else refers to the container. True where nobody knows.
    var isShared: Bool { true }
}

/// A container of one type.
///
/// The container's own type is the parameter, so the box has its metadata. The type of the keys as the parameter lost: each
/// copy would look up the metadata of `KeyedDecodingContainer<Key>`, which takes a tenth of decoding a row.
@safe final class ContainerBox<Container>: AnyContainerBox {
    private let memory: UnsafeMutablePointer<Container>

    init(_ container: Container, key: ObjectIdentifier, _ numbers: PropertyNumbers? = nil) {
        unsafe memory = .allocate(capacity: 1)
        unsafe memory.initialize(to: container)
        super.init(key, numbers)
    }

    deinit {
        unsafe memory.deinitialize(count: 1)
        unsafe memory.deallocate()
    }

    /// The container. Never inlined: the caller lacks the metadata.
    @inline(never)
    func copy() -> Container { unsafe memory.pointee }

    /// A keyed container is one reference to an object that holds what it was made from.
    override var isShared: Bool {
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else { return true }
        let object = unsafe UnsafeMutableRawPointer(memory).assumingMemoryBound(to: AnyObject.self)
        return unsafe !isKnownUniquelyReferenced(&object.pointee)
    }
}
