import Foundation
import TableKit

/// Encodes the values of the catalogue.
struct CatalogueWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    /// Unsigned LEB128.
    mutating func number(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func raw(_ content: some Collection<UInt8>) {
        number(UInt64(content.count))
        bytes += content
    }

    mutating func text(_ text: String) { raw(text.utf8) }

    mutating func list<Element>(_ elements: [Element], _ write: (inout CatalogueWriter, Element) -> Void) {
        number(UInt64(elements.count))
        for element in elements { write(&self, element) }
    }

    /// Eight bytes, little-endian.
    mutating func word(_ word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }

    /// An exact encoding of a value. The encoding of keys would make -0.0 and 0 equal.
    mutating func value(_ value: ColumnValue) {
        switch value {
        case .null: byte(0)
        case .bool(let value): byte(value ? 2 : 1)
        case .integer(let value): tagged(3, UInt64(bitPattern: value))
        case .unsigned(let value): tagged(4, value)
        case .real(let value): tagged(5, value.bitPattern)
        case .date(let value): tagged(6, value.timeIntervalSinceReferenceDate.bitPattern)
        case .uuid(let value):
            byte(7)
            unsafe withUnsafeBytes(of: value.uuid) { unsafe bytes += $0 }
        case .text(let value):
            byte(8)
            text(value)
        case .bytes(let value):
            byte(9)
            raw(value)
        case .json(let value):
            byte(10)
            text(value)
        }
    }

    private mutating func tagged(_ tag: UInt8, _ bits: UInt64) {
        byte(tag)
        word(bits)
    }
}
