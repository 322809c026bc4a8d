import CInstructions
import CZlib

/// CRC-32 as in ISO 3309, gzip and zlib: the reflected polynomial 0xEDB88320. The initial value and the final
/// XOR are all ones.
///
/// For 16 bytes or more it uses carry-less multiplication on an x86-64 processor that has it (`crc32.h` has the
/// source). Otherwise it uses a table method in Swift for up to a few hundred bytes and zlib for more, because each is
/// faster in its range. All methods return the same value.
enum CRC32 {
    /// True if `crc32.h` has code for this processor: x86-64 with PCLMULQDQ and SSE4.1.
    @inline(__always)
    static var multiplies: Bool { siltstone_crc32_width() > 0 }
    /// True if the processor can multiply 64 bytes at a time.
    @inline(__always)
    private static var multipliesWide: Bool { siltstone_crc32_width() > 1 }
    /// The smallest number of bytes for which 64 bytes at a time are used: the first 16, and one step of 256.
    private static let wideBytes = 272

    /// Returns the checksum of `bytes`. Given the checksum of the preceding bytes, returns the checksum of both
    /// together.
    @inline(__always)
    static func checksum(_ bytes: Bytes, continuing checksum: UInt32 = 0) -> UInt32 {
        guard bytes.count >= 16, multiplies else { return portable(bytes, continuing: checksum) }
        return multiplied(bytes, continuing: checksum, wide: multipliesWide)
    }

    /// Returns the checksum of a little-endian integer, continuing `checksum`.
    @inline(__always)
    static func checksum(_ integer: UInt64, continuing checksum: UInt32) -> UInt32 {
        unsafe ~fold(integer, into: ~checksum, tables)
    }

    /// Returns the checksum of five little-endian words, 40 bytes, that are in registers, and of the bytes after them.
    ///
    /// Storing the fields of a header and loading them again as wider words would wait, because a processor does not
    /// forward several small stores to one wider load.
    /// - Parameter bytes: their number must be a multiple of 8.
    @inline(__always)
    static func checksum(
        _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ e: UInt64, then bytes: Bytes
    ) -> UInt32 {
        precondition(bytes.count & 7 == 0)
        guard multiplies else { return portable(bytes, continuing: sliced(a, b, c, d, e)) }
        return unsafe bytes.count >= wideBytes && multipliesWide
            ? siltstone_crc32_of_words_wide(a, b, c, d, e, bytes.start, bytes.count)
            : siltstone_crc32_of_words(a, b, c, d, e, bytes.start, bytes.count)
    }

    /// Same as ``checksum(_:continuing:)``, for at least 16 bytes, on a processor with carry-less multiplication.
    /// - Parameter wide: true to take 64 bytes at a time if there are many, which the processor must be able to do.
    @inline(never)
    static func multiplied(_ bytes: Bytes, continuing checksum: UInt32, wide: Bool) -> UInt32 {
        precondition(bytes.count >= 16)
        let base = unsafe bytes.start
        let whole = bytes.count & ~15
        let checksum =
            unsafe wide && whole >= wideBytes
            ? siltstone_crc32_wide(base, whole, checksum) : siltstone_crc32(base, whole, checksum)
        return unsafe whole == bytes.count ? checksum : sliced(base + whole, bytes.count &- whole, checksum)
    }
}

/// Without special instructions of the processor.
extension CRC32 {
    /// The smallest number of bytes for which zlib is faster than the table method.
    private static let crossover = 400

    /// Same as ``checksum(_:continuing:)``.
    static func portable(_ bytes: Bytes, continuing checksum: UInt32) -> UInt32 {
        guard bytes.count >= crossover else { return unsafe sliced(bytes.start, bytes.count, checksum) }
        let base = unsafe bytes.start.assumingMemoryBound(to: UInt8.self)
        return unsafe UInt32(truncatingIfNeeded: crc32_z(UInt(checksum), base, bytes.count))
    }

    /// Sixteen tables of 256 entries. `tables[k][b]` is the effect of byte `b` if `k` bytes follow it (the slicing of
    /// Kounavis and Berry, 2005, extended to 16 tables).
    ///
    /// `nonisolated(unsafe)`: written once, before another thread can see it, and never freed.
    private nonisolated(unsafe) static let tables: UnsafePointer<UInt32> = {
        let memory = UnsafeMutablePointer<UInt32>.allocate(capacity: 16 * 256)  // for the life of the process
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xedb8_8320 : value >> 1 }
            unsafe memory[byte] = value
        }
        for index in 256..<(16 * 256) {
            let previous = unsafe memory[index - 256]
            unsafe memory[index] = unsafe (previous >> 8) ^ memory[Int(previous & 0xff)]
        }
        return unsafe UnsafePointer(memory)
    }()

    /// Returns the checksum of `count` bytes by the table method, continuing `checksum`.
    @inline(never)
    private static func sliced(_ base: UnsafeRawPointer, _ count: Int, _ checksum: UInt32) -> UInt32 {
        let table = unsafe tables
        var state = ~checksum
        var pointer = unsafe base
        var left = count
        while left >= 16 {
            let low = unsafe UInt64(littleEndian: pointer.loadUnaligned(as: UInt64.self))
            let high = unsafe UInt64(littleEndian: pointer.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            state = unsafe fold(low, high, into: state, table)
            unsafe pointer += 16
            left &-= 16
        }
        if left >= 8 {
            state = unsafe fold(UInt64(littleEndian: pointer.loadUnaligned(as: UInt64.self)), into: state, table)
            unsafe pointer += 8
            left &-= 8
        }
        while left > 0 {
            let byte = unsafe pointer.load(as: UInt8.self)
            state = unsafe (state &>> 8) ^ table[Int(truncatingIfNeeded: (state ^ UInt32(byte)) & 0xff)]
            unsafe pointer += 1
            left &-= 1
        }
        return ~state
    }

    /// Returns the checksum of five words.
    @inline(never)
    static func sliced(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ e: UInt64) -> UInt32 {
        let table = unsafe tables
        return unsafe ~fold(e, into: fold(c, d, into: fold(a, b, into: ~0, table), table), table)
    }

    /// Returns the state after the 16 bytes of two words.
    @inline(__always)
    private static func fold(
        _ first: UInt64, _ high: UInt64, into state: UInt32, _ table: UnsafePointer<UInt32>
    ) -> UInt32 {
        let low = first ^ UInt64(state)
        let a = unsafe table[15, low, 0] ^ table[14, low, 8] ^ table[13, low, 16] ^ table[12, low, 24]
        let b = unsafe table[11, low, 32] ^ table[10, low, 40] ^ table[9, low, 48] ^ table[8, low, 56]
        let c = unsafe table[7, high, 0] ^ table[6, high, 8] ^ table[5, high, 16] ^ table[4, high, 24]
        let d = unsafe table[3, high, 32] ^ table[2, high, 40] ^ table[1, high, 48] ^ table[0, high, 56]
        return (a ^ b) ^ (c ^ d)
    }

    /// Returns the state after the 8 bytes of a word.
    @inline(__always)
    private static func fold(_ word: UInt64, into state: UInt32, _ table: UnsafePointer<UInt32>) -> UInt32 {
        let word = word ^ UInt64(state)
        let a = unsafe table[7, word, 0] ^ table[6, word, 8] ^ table[5, word, 16] ^ table[4, word, 24]
        let b = unsafe table[3, word, 32] ^ table[2, word, 40] ^ table[1, word, 48] ^ table[0, word, 56]
        return a ^ b
    }
}

extension UnsafePointer<UInt32> {
    /// The entry of table `slice` for the byte of `word` that starts at bit `shift`.
    @inline(__always)
    fileprivate subscript(slice: Int, word: UInt64, shift: UInt64) -> UInt32 {
        unsafe self[(slice &* 256) &+ Int(truncatingIfNeeded: (word &>> shift) & 0xff)]
    }
}
