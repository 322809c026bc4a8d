/// The hash of a key for the hash index of a segment. Its values are on disk, so it must never change.
///
/// A multiply-fold in the manner of wyhash (Wang Yi, 2019): it multiplies 64 by 64 bits to 128, and xors the two
/// halves. It has no secret key, so a user who chooses the keys can make some of them collide. That costs time and
/// never correctness.
enum KeyHash {
    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.low ^ product.high
    }

    @inline(__always)
    private static func word(_ key: Bytes, _ offset: Int) -> UInt64 { key.uncheckedInteger(at: offset) }

    /// Two constants of wyhash, and 2⁶⁴ divided by the golden ratio (`Docs/Format.md`).
    private static let seeds: (UInt64, UInt64, UInt64) = (
        0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x9e37_79b9_7f4a_7c15
    )

    /// Returns the hash of `key`.
    @inline(__always)
    static func hash(_ key: Bytes) -> UInt64 {
        let count = key.count
        if count >= 8, count <= 16 {
            let first = word(key, 0) ^ seeds.0
            let last = word(key, count &- 8) ^ seeds.1 ^ UInt64(truncatingIfNeeded: count)
            return fold(fold(first, last), seeds.2)
        }
        return hashOther(key)
    }

    /// Hashes keys of fewer than 8 or more than 16 bytes. A shorter key is padded with zeros to 8 bytes. Of a longer
    /// one, words of 8 bytes are folded in, and the last word overlaps the one before.
    private static func hashOther(_ key: Bytes) -> UInt64 {
        let count = key.count
        if count < 8 {
            var value: UInt64 = 0
            for index in 0..<count { value |= UInt64(key[index]) << UInt64(8 * index) }
            return fold(fold(value ^ seeds.0, seeds.1 ^ UInt64(count)), seeds.2)
        }
        var state = seeds.1 ^ UInt64(count)
        var offset = 0
        while offset + 8 < count {
            state = fold(word(key, offset) ^ seeds.0, state ^ seeds.2)
            offset += 8
        }
        state = fold(word(key, count - 8) ^ seeds.0, state ^ seeds.2)
        return fold(state, seeds.2)
    }
}
