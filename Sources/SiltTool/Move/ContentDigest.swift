import Foundation
import TableKit

/// A 128-bit checksum of rows or records: the sum of their checksums. Independent of their order and of the database's
/// layout. It detects accidents, not an adversary.
struct ContentDigest: Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    /// The number of rows added.
    private(set) var count = 0

    /// The checksum in hexadecimal.
    var text: String { Self.digits(high) + Self.digits(low) }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// Adds a row. Both zeros are equal, because not every database keeps their sign, and so are all NaN.
    mutating func add(_ row: [ColumnValue]) {
        var hash = RowHash()
        for value in row {
            switch value {
            case .null: hash.add(0)
            case .bool(let value): hash.add(1, value ? 1 : 0)
            case .integer(let value): hash.add(2, UInt64(bitPattern: value))
            case .unsigned(let value): hash.add(3, value)
            case .real(let value): hash.add(4, Self.bits(value))
            case .date(let value): hash.add(5, Self.bits(value.timeIntervalSinceReferenceDate))
            case .uuid(let value):
                hash.add(6)
                unsafe withUnsafeBytes(of: value.uuid) { unsafe hash.add($0) }
            case .text(let value): hash.add(7, value)
            case .bytes(let value): hash.add(8, value)
            case .json(let value): hash.add(9, value)
            }
        }
        add(hash)
    }

    /// Adds a record of a repository.
    mutating func add(id: [UInt8], record: [UInt8]) {
        var hash = RowHash()
        hash.add(8, id)
        hash.add(8, record)
        add(hash)
    }

    private mutating func add(_ hash: RowHash) {
        low &+= hash.low
        high &+= hash.high
        count += 1
    }

    private static func bits(_ value: Double) -> UInt64 {
        value.isNaN ? Double.nan.bitPattern : value == 0 ? 0 : value.bitPattern
    }
}

/// Two hashes of the same words with different multipliers. Each word is mixed by the finalizer of SplitMix64.
private struct RowHash {
    var low: UInt64 = 0x243f_6a88_85a3_08d3
    var high: UInt64 = 0x1319_8a2e_0370_7344

    mutating func add(_ word: UInt64) {
        low = Self.mixed(low ^ word, 0xbf58_476d_1ce4_e5b9)
        high = Self.mixed(high &+ word, 0x94d0_49bb_1331_11eb)
    }

    mutating func add(_ tag: UInt64, _ word: UInt64) {
        add(tag)
        add(word)
    }

    mutating func add(_ tag: UInt64, _ text: String) {
        var text = text
        add(tag)
        text.withUTF8 { unsafe add(UnsafeRawBufferPointer($0)) }
    }

    mutating func add(_ tag: UInt64, _ bytes: [UInt8]) {
        add(tag)
        unsafe bytes.withUnsafeBytes { unsafe add($0) }
    }

    /// Adds the length, then the bytes in words of eight.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var place = 0
        while place + 8 <= bytes.count {
            add(UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
            place += 8
        }
        var last: UInt64 = 0
        for number in 0..<bytes.count - place { last |= unsafe UInt64(bytes[place + number]) << UInt64(8 * number) }
        if place < bytes.count { add(last) }
    }

    private static func mixed(_ word: UInt64, _ multiplier: UInt64) -> UInt64 {
        var z = word &+ 0x9e37_79b9_7f4a_7c15
        z = (z ^ (z >> 30)) &* multiplier
        z = (z ^ (z >> 27)) &* 0x2545_f491_4f6c_dd1d
        return z ^ (z >> 31)
    }
}
