/// The caller's memory that values are copied to, made once and used again: `get` hands out what the caller owns.
final class ValueCopy {
    private var memory: UnsafeMutableRawBufferPointer

    init() { memory = .allocate(byteCount: 4096, alignment: 16) }

    deinit { memory.deallocate() }

    /// Copies `bytes`.
    /// - Returns: the copy, good until the next call.
    @inline(__always)
    func take(_ bytes: Bytes) -> Bytes {
        if bytes.count > memory.count { grow(bytes.count) }
        memory.copyMemory(from: bytes)
        return Bytes(rebasing: memory[..<bytes.count])
    }

    private func grow(_ count: Int) {
        memory.deallocate()
        memory = .allocate(byteCount: count * 2, alignment: 16)
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes as C's `char`, which is what the peers' interfaces take. Keys and values are never empty here.
    @inline(__always)
    var characters: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}
