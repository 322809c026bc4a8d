import Siltstone
import TableKit

/// Unchecked access to the variable columns of a row. The caller has checked the row's length.
enum RowBytes {
    /// The bytes of a variable column; nil if the row is damaged.
    /// - Parameter row: the row. It must have at least the slot's `endsStart` bytes.
    @inline(__always)
    static func variable(_ slot: RowSlot, in row: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let base = row.baseAddress else { return nil }
        let isWide = unsafe base.load(fromByteOffset: 1, as: UInt8.self) & RowLayout.wideEnds != 0
        let width = isWide ? 4 : 2
        let start = slot.endsStart &+ slot.variableCount &* width
        guard start <= row.count else { return nil }
        let upper = unsafe end(slot.place, base + slot.endsStart, isWide)
        let lower = unsafe slot.place == 0 ? 0 : end(slot.place &- 1, base + slot.endsStart, isWide)
        guard lower <= upper, start &+ upper <= row.count else { return nil }
        return unsafe UnsafeRawBufferPointer(start: base + (start &+ lower), count: upper &- lower)
    }

    @inline(__always)
    private static func end(_ number: Int, _ ends: UnsafeRawPointer, _ isWide: Bool) -> Int {
        unsafe isWide
            ? Int(UInt32(littleEndian: ends.loadUnaligned(fromByteOffset: number &* 4, as: UInt32.self)))
            : Int(UInt16(littleEndian: ends.loadUnaligned(fromByteOffset: number &* 2, as: UInt16.self)))
    }

    /// The lexicographic order of two byte buffers: below, at or above 0.
    @inline(__always)
    static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let common = min(left.count, right.count)
        if common > 0, let a = left.baseAddress, let b = right.baseAddress {
            let order = unsafe compareMemory(a, b, common)
            if order != 0 { return order }
        }
        return left.count &- right.count
    }

    /// Like `memcmp`, eight bytes at a time.
    @inline(__always)
    private static func compareMemory(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Int {
        var place = 0
        while place &+ 8 <= count {
            let left = unsafe a.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let right = unsafe b.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if left != right { return left.bigEndian < right.bigEndian ? -1 : 1 }
            place &+= 8
        }
        while place < count {
            let left = unsafe a.load(fromByteOffset: place, as: UInt8.self)
            let right = unsafe b.load(fromByteOffset: place, as: UInt8.self)
            if left != right { return left < right ? -1 : 1 }
            place &+= 1
        }
        return 0
    }

    /// As ``order(_:_:)-swift.type.method``, for arrays.
    static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        unsafe left.withUnsafeBytes { left in unsafe right.withUnsafeBytes { unsafe order(left, $0) } }
    }
}
