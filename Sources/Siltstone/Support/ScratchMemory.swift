/// Memory for a piece of background work.
///
/// A large piece comes from the system and goes back to it at once. The allocator would keep it: glibc's takes whatever is
/// as large as something that was freed before from a heap of the thread, which does not shrink.
struct ScratchMemory: ~Copyable {
    /// From so many bytes on it is the system's.
    private static let leastToMap = 1 << 20

    /// The first byte, aligned to 16. Undefined bytes at first.
    let base: UnsafeMutableRawPointer
    private let byteCount: Int
    private let isMapped: Bool

    init(byteCount: Int) {
        self.byteCount = byteCount
        if byteCount >= Self.leastToMap, let address = Platform.mapAnonymous(length: byteCount) {
            base = address
            isMapped = true
        } else {
            base = .allocate(byteCount: byteCount, alignment: 16)
            isMapped = false
        }
    }

    deinit { if isMapped { Platform.unmap(base, length: byteCount) } else { base.deallocate() } }
}
