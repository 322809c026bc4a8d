/// Temporary memory for background work.
///
/// Large memory is mapped from the system and unmapped right after use. The allocator would keep it: once a block
/// of that size was freed, glibc serves later blocks of that size from the thread's arena, which never shrinks.
struct ScratchMemory: ~Copyable {
    /// The smallest number of bytes for which memory is mapped from the system.
    private static let minimumToMap = 1 << 20

    /// The bytes, aligned to 16. Undefined at first.
    let bytes: MutableBytes
    private let isMapped: Bool

    init(byteCount: Int) {
        if byteCount >= Self.minimumToMap, let mapped = Platform.mapAnonymous(length: byteCount) {
            bytes = mapped
            isMapped = true
        } else {
            bytes = .allocate(byteCount: byteCount, alignment: 16)
            isMapped = false
        }
    }

    deinit { if isMapped { Platform.unmap(bytes) } else { bytes.deallocate() } }
}

/// Plain values in scratch memory.
///
/// Its count and subscript repeat those of ``HeapArray``, which frees its memory otherwise: Swift forwards no members to
/// a field.
struct ScratchArray<Element: BitwiseCopyable>: ~Copyable {
    private let memory: ScratchMemory
    private let elements: ElementRow<Element>

    /// Creates an array of undefined elements.
    /// - Parameter count: number of elements.
    init(count: Int) {
        memory = ScratchMemory(byteCount: count * MemoryLayout<Element>.stride)
        elements = ElementRow(in: memory.bytes)
    }

    @inline(__always)
    var count: Int { elements.count }

    @inline(__always)
    subscript(index: Int) -> Element {
        get { elements[index] }
        nonmutating set { elements[index] = newValue }
    }

    /// Returns a larger array that starts with the same elements.
    func grown(to count: Int) -> ScratchArray {
        let larger = ScratchArray(count: count)
        larger.memory.bytes.uncheckedCopy(from: memory.bytes.bytes)
        return larger
    }
}
