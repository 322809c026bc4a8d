/// Memory for a piece of background work.
///
/// A large piece comes from the system and goes back to it at once. The allocator would keep it: glibc's takes whatever is
/// as large as something that was freed before from a heap of the thread, which does not shrink.
struct ScratchMemory: ~Copyable {
    /// From so many bytes on it is the system's.
    private static let leastToMap = 1 << 20

    /// The bytes, aligned to 16. Undefined at first.
    let bytes: MutableBytes
    private let isMapped: Bool

    init(byteCount: Int) {
        if byteCount >= Self.leastToMap, let mapped = Platform.mapAnonymous(length: byteCount) {
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
struct ScratchArray<Element: BitwiseCopyable>: ~Copyable {
    private let memory: ScratchMemory
    private let elements: ElementRow<Element>

    /// - Parameter count: elements, undefined at first.
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

    /// The same elements with more room behind them.
    func grown(to count: Int) -> ScratchArray {
        let larger = ScratchArray(count: count)
        larger.memory.bytes.uncheckedCopy(from: memory.bytes.bytes)
        return larger
    }
}
