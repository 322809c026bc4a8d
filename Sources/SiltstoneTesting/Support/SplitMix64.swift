/// A seeded random number generator (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
package struct SplitMix64: RandomNumberGenerator {
    private static let increment: UInt64 = 0x9e37_79b9_7f4a_7c15

    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        defer { state &+= Self.increment }
        return Self.mixed(state)
    }

    /// The first number of a generator with the seed `number`. Every bit of the seed affects every bit of the result.
    static func mixed(_ number: UInt64) -> UInt64 {
        var z = number &+ increment
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// True with this probability.
    package mutating func chance(_ probability: Double) -> Bool { Self.fraction(next()) < probability }

    /// A number from 0 up to but not including `count`.
    package mutating func index(_ count: Int) -> Int { Int(next() % UInt64(max(count, 1))) }

    /// Maps a draw to a number from 0 up to but not including 1.
    static func fraction(_ draw: UInt64) -> Double { Double(draw >> 11) * 0x1p-53 }
}
