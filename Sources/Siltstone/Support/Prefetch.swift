import CInstructions

/// Starts loading memory into the processor's caches before it is used, without waiting for it.
///
/// An early load does not do the same, because the processor proceeds only some hundred instructions past a load that
/// it waits for. The hint never faults, whatever the address.
enum Prefetch {
    /// Bytes of a cache line on the common processors. On a processor with larger lines, a line is loaded twice.
    static let lineBytes = 64

    /// Prefetches the line at an offset of bytes. The offset may exceed the bytes.
    @inline(__always)
    static func line(_ bytes: Bytes, at offset: Int = 0) { unsafe line(bytes.start + offset) }

    /// Prefetches the line at an offset of bytes, and the next one: a record starts in the first, and most often ends
    /// in one of the two. The offset may exceed the bytes.
    @inline(__always)
    static func twoLines(_ bytes: Bytes, at offset: Int = 0) { unsafe twoLines(bytes.start + offset) }

    /// Prefetches the lines of `count` bytes from an offset of bytes on; none if `count` is not positive. They may
    /// exceed the bytes.
    @inline(__always)
    static func lines(_ bytes: Bytes, at offset: Int = 0, count: Int) {
        unsafe lines(bytes.start + offset, count: count)
    }

    /// Prefetches the line of an address.
    @inline(__always)
    static func line(_ address: UnsafeRawPointer) { unsafe siltstone_prefetch(address) }

    /// Prefetches the line of an address, and the next one: a record starts in the first, and most often ends in one of
    /// the two.
    @inline(__always)
    static func twoLines(_ address: UnsafeRawPointer) {
        unsafe line(address)
        unsafe line(address + lineBytes)
    }

    /// Prefetches the lines of `count` bytes from an address on; none if `count` is not positive.
    @inline(__always)
    static func lines(_ address: UnsafeRawPointer, count: Int) {
        guard count > 0 else { return }
        var next = -(Int(bitPattern: address) & (lineBytes &- 1))
        while next < count {
            unsafe line(address + next)
            next &+= lineBytes
        }
    }
}
