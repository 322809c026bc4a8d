/// A container that a coder reuses, with the objects that it refers to.
class AnyContainerBox {
    /// The type of the container's keys.
    let key: ObjectIdentifier
    /// Kept alive for the container, which has an unretained reference.
    private let numbers: PropertyNumbers?

    fileprivate init(_ key: ObjectIdentifier, _ numbers: PropertyNumbers?) {
        self.key = key
        self.numbers = numbers
    }

    /// True if the container may have other references.
    var isShared: Bool { true }
}

/// A box for one type of container.
///
/// It is generic over the container type and so has its metadata. A box generic over the key type lost: each copy would
/// look up the metadata of `KeyedDecodingContainer<Key>`, which takes a tenth of decoding a row.
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

    /// Copies the container. Never inlined, because the caller lacks the metadata.
    @inline(never)
    func copy() -> Container { unsafe memory.pointee }

    /// A keyed container is a single reference to the object that boxes its implementation.
    override var isShared: Bool {
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else { return true }
        let object = unsafe UnsafeMutableRawPointer(memory).assumingMemoryBound(to: AnyObject.self)
        return unsafe !isKnownUniquelyReferenced(&object.pointee)
    }
}
