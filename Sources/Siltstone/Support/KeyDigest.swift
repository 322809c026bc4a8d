/// Eight bytes of a key as a number whose order is that of the bytes: two digests that differ tell the order of two keys
/// that agree in what is before them.
enum KeyDigest {
    /// The digest of the bytes behind `skip`; zeros stand for those behind the key's end.
    @inline(__always)
    static func of(_ key: Bytes, skip: Int) -> UInt64 {
        guard key.count >= 8, let base = key.baseAddress else { return ofShort(key, skip: skip) }
        // The last eight bytes, where there are fewer than eight behind `skip`: what is too much is shifted out.
        let end = key.count &- 8
        let word = UInt64(bigEndian: base.loadUnaligned(fromByteOffset: min(skip, end), as: UInt64.self))
        return word << UInt64(truncatingIfNeeded: 8 &* max(0, skip &- end))
    }

    @inline(never)
    private static func ofShort(_ key: Bytes, skip: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<8 { value = value << 8 | (skip + index < key.count ? UInt64(key[skip + index]) : 0) }
        return value
    }
}
