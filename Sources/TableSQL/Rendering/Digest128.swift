/// FNV-1a with 128 bits, which tells apart names that were cut to the same text. Not resistant to deliberate
/// collisions.
package enum Digest128 {
    package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in bytes { hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 32 - text.utf8.count) + text
    }
}
