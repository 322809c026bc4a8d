import CInstructions

/// Has the processor begin to load memory that will be looked at soon, without waiting for it.
///
/// A load ahead of time does not do the same: the processor goes no further than some hundred instructions beyond one
/// that it waits for. The hint never faults, whatever the address.
enum Prefetch {
    /// Bytes of a line, on the processors that count. A greater one is loaded twice.
    static let lineBytes = 64

    /// The line at an offset of bytes, or beside them.
    @inline(__always)
    static func line(_ bytes: Bytes, at offset: Int = 0) { unsafe line(bytes.start + offset) }

    /// The line at an offset of bytes, or beside them, and the next one: where a record begins, and most often where it ends.
    @inline(__always)
    static func twoLines(_ bytes: Bytes, at offset: Int = 0) { unsafe twoLines(bytes.start + offset) }

    /// The lines that hold `count` bytes from an offset of bytes on, or beside them; none where that is not positive.
    @inline(__always)
    static func lines(_ bytes: Bytes, at offset: Int = 0, count: Int) {
        unsafe lines(bytes.start + offset, count: count)
    }

    /// The line that holds an address.
    @inline(__always)
    static func line(_ address: UnsafeRawPointer) { unsafe siltstone_prefetch(address) }

    /// The line that holds an address and the next one: where a record begins, and most often where it ends.
    @inline(__always)
    static func twoLines(_ address: UnsafeRawPointer) {
        unsafe line(address)
        unsafe line(address + lineBytes)
    }

    /// The lines that hold `count` bytes from an address on; none where that is not positive.
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
