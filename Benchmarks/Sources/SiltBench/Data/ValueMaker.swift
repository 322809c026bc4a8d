/// Makes values that look like those of db_bench, half of them compressible, and that can be checked to the byte.
///
/// A value is one of a few prepared texts with its ``Stamp`` written over both ends: making one costs two stores, not a
/// copy of what may be 100 KB.
struct ValueMaker: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    private let byteCount: Int
    private let slotMask: UInt64

    /// - Parameter byteCount: bytes of a value, at least two stamps.
    init(byteCount: Int) {
        self.byteCount = byteCount
        // A power of two, and no more memory than the second-level cache has room for.
        var slots = 8
        while slots < 256, slots * 2 * byteCount <= 1 << 19 { slots *= 2 }
        slotMask = UInt64(slots - 1)
        memory = .allocate(byteCount: slots * byteCount, alignment: 64)
        var random = RandomSource(.values)
        for slot in 0..<slots {
            // The text is repeated once: it compresses to half.
            let half = (byteCount + 1) / 2
            let text = (0..<half).map { _ in UInt8(32 + random.below(95)) }
            for i in 0..<byteCount {
                memory.storeBytes(of: text[i % half], toByteOffset: slot * byteCount + i, as: UInt8.self)
            }
        }
    }

    deinit { memory.deallocate() }

    /// The value of a stamp, good until the next call.
    @inline(__always)
    func value(_ stamp: Stamp) -> Bytes {
        let slot = Int(truncatingIfNeeded: (stamp.rawValue ^ stamp.rawValue &>> 24) & slotMask)
        let start = memory + slot &* byteCount
        start.storeBytes(of: stamp.rawValue, as: UInt64.self)
        start.storeBytes(of: stamp.rawValue, toByteOffset: byteCount &- Stamp.byteCount, as: UInt64.self)
        return Bytes(start: start, count: byteCount)
    }
}
