/// A generator of pseudo-random numbers: xoshiro256++ (Blackman and Vigna, https://prng.di.unimi.it), seeded by
/// SplitMix64.
///
/// SplitMix64 alone would not do: the streams of neighbouring seeds are shifts of one another, so that a reader and a
/// writer would walk in step and meet in every cache.
struct RandomSource: RandomNumberGenerator {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// - Parameters:
    ///   - purpose: what the numbers are for; the same gives the same numbers, in every engine and every run.
    ///   - stream: tells threads apart.
    init(_ purpose: Purpose, stream: Int = 0) {
        var seed = mixed(purpose.rawValue &* 0x9E37_79B9_7F4A_7C15 ^ mixed(UInt64(stream) &+ 1))
        func next() -> UInt64 {
            seed &+= 0x9E37_79B9_7F4A_7C15
            return mixed(seed)
        }
        state = (next(), next(), next(), next())
    }

    /// What random numbers are drawn for.
    enum Purpose: UInt64 {
        case fillOrder = 1, batchOrder, overwrite, deletion, reading, missing, hot, seeking, besideWriter, besideReader
        case mix, values, rawLimits, sample
    }

    @inline(__always)
    mutating func next() -> UInt64 {
        func rotated(_ x: UInt64, _ k: UInt64) -> UInt64 { x &<< k | x &>> (64 &- k) }
        let result = rotated(state.0 &+ state.3, 23) &+ state.0
        let t = state.1 &<< 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= t
        state.3 = rotated(state.3, 45)
        return result
    }

    /// A number in `0..<bound`, by the high half of a product (Lemire); its bias is below 2⁻³² for the bounds here.
    @inline(__always)
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: bound)).high)
    }

    /// A number in `[0, 1)`.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// The finalizer of SplitMix64: a bijection whose every output bit hangs on every input bit.
@inline(__always)
func mixed(_ value: UInt64) -> UInt64 {
    var x = value
    x = (x ^ x >> 30) &* 0xBF58_476D_1CE4_E5B9
    x = (x ^ x >> 27) &* 0x94D0_49BB_1331_11EB
    return x ^ x >> 31
}
