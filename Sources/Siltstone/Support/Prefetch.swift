import CInstructions

/// Has the processor begin to load memory that will be looked at soon, without waiting for it.
///
/// A load ahead of time does not do the same: the processor goes no further than some hundred instructions beyond one
/// that it waits for. The hint never faults, whatever the address.
enum Prefetch {
    /// Bytes of a line, on the processors that count. A greater one is loaded twice.
    static let lineBytes = 64

    /// The line that holds an address.
    @inline(__always)
    static func line(_ address: UnsafeRawPointer) { siltstone_prefetch(address) }

    /// The line that holds an address and the next one: where a record begins, and most often where it ends.
    @inline(__always)
    static func twoLines(_ address: UnsafeRawPointer) {
        line(address)
        line(address + lineBytes)
    }

    /// The lines that hold `count` bytes from an address on; none where that is not positive.
    @inline(__always)
    static func lines(_ address: UnsafeRawPointer, count: Int) {
        guard count > 0 else { return }
        var next = -(Int(bitPattern: address) & (lineBytes &- 1))
        while next < count {
            line(address + next)
            next &+= lineBytes
        }
    }
}
