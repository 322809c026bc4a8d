/// Numbers from a seed (SplitMix64; Steele, Lea and Flood, 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }
    init(state: UInt64) { self.state = state }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Random bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](count: count) { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Whether an event of this probability happens.
    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// An index below `count`.
    mutating func index(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}
