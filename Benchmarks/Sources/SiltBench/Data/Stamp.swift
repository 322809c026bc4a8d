/// What a value says of itself, at its front and at its back: whose it is, and which one in turn.
struct Stamp: Equatable {
    /// The index in the upper 40 bits, the generation in the lower 24.
    let rawValue: UInt64

    /// Bytes at each end of a value.
    static let byteCount = 8
    private static let generationBits: UInt64 = 24

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameters:
    ///   - index: the key's.
    ///   - generation: counts the values that the key has been given, from 1; its lower 24 bits are kept.
    @inline(__always)
    init(index: Int, generation: UInt32) {
        let low = UInt64(generation) & (1 &<< Self.generationBits &- 1)
        rawValue = UInt64(truncatingIfNeeded: index) &<< Self.generationBits | low
    }

    @inline(__always)
    var index: Int { Int(truncatingIfNeeded: rawValue &>> Self.generationBits) }
}
