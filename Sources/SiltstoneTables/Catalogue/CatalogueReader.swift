import Foundation
import TableKit

/// Decodes the values of the catalogue. Invalid bytes throw and never trap.
struct CatalogueReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var damaged: CRUDDecoderError {
        CRUDDecoderError("The catalogue is damaged at byte \(offset) of a value.", code: .corrupt)
    }

    mutating func byte() throws(CRUDDecoderError) -> UInt8 {
        guard offset < bytes.count else { throw damaged }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func number() throws(CRUDDecoderError) -> UInt64 {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = try byte()
            guard shift < 63 || (shift == 63 && byte <= 1) else { throw damaged }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }

    mutating func raw() throws(CRUDDecoderError) -> ArraySlice<UInt8> {
        let count = try number()
        guard count <= UInt64(bytes.count - offset) else { throw damaged }
        defer { offset += Int(count) }
        return bytes[offset..<offset + Int(count)]
    }

    mutating func text() throws(CRUDDecoderError) -> String {
        guard let text = String(validating: try raw(), as: UTF8.self) else { throw damaged }
        return text
    }

    mutating func list<Element>(
        _ read: (inout CatalogueReader) throws(CRUDDecoderError) -> Element
    ) throws(CRUDDecoderError) -> [Element] {
        let count = try number()
        // Each element takes at least one byte.
        guard count <= UInt64(bytes.count - offset) else { throw damaged }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    mutating func word() throws(CRUDDecoderError) -> UInt64 {
        var word: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { word |= UInt64(try byte()) << shift }
        return word
    }

    mutating func value() throws(CRUDDecoderError) -> ColumnValue {
        switch try byte() {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return .integer(Int64(bitPattern: try word()))
        case 4: return ColumnValue(try word())
        case 5: return .real(Double(bitPattern: try word()))
        case 6: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try word())))
        case 7:
            var id: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            guard bytes.count - offset >= 16 else { throw damaged }
            unsafe withUnsafeMutableBytes(of: &id) { unsafe $0.copyBytes(from: bytes[offset..<offset + 16]) }
            offset += 16
            return .uuid(UUID(uuid: id))
        case 8: return .text(try text())
        case 9: return .bytes(Array(try raw()))
        case 10: return .json(try text())
        default: throw damaged
        }
    }

    mutating func columnType() throws(CRUDDecoderError) -> ColumnType {
        guard let type = ColumnType(rawValue: try byte()) else { throw damaged }
        return type
    }

    mutating func action() throws(CRUDDecoderError) -> ForeignKeyAction {
        guard let action = ForeignKeyAction(rawValue: try byte()) else { throw damaged }
        return action
    }

    /// Checks that no bytes are left.
    func end() throws(CRUDDecoderError) {
        if offset != bytes.count { throw damaged }
    }
}
