import Foundation

/// A type that reads and writes its column's bytes without a ``ColumnValue`` in between.
protocol FastColumn: ColumnConvertible, Decodable {
    /// Reads a column whose storage type is ``ColumnConvertible/columnType``.
    static func stored(_ reader: RowReader, _ number: Int) throws -> Self
    /// Writes the value into a column whose storage type is ``ColumnConvertible/columnType``.
    func store(_ writer: RowWriter, _ number: Int)
}

extension FastColumn {
    /// Reads a column.
    /// - Throws: ``CRUDDecoderError`` if it has no value, or one that does not fit this type.
    @inline(__always)
    static func read(_ reader: RowReader, _ number: Int) throws -> Self {
        reader.holds(columnType, number) ? try stored(reader, number) : try reader.converted(Self.self, number)
    }

    /// Reads a column, or returns nil if it is NULL or the table lacks it.
    @inline(__always)
    static func readIfPresent(_ reader: RowReader, _ number: Int) throws -> Self? {
        reader.holds(columnType, number) ? try stored(reader, number) : try reader.convertedIfPresent(Self.self, number)
    }
}

extension RowReader {
    /// Reads a column of another storage type and converts the value.
    @inline(never)
    func converted<T: ColumnConvertible>(_ type: T.Type, _ number: Int) throws -> T {
        if let absence = absence(number) { throw absence }
        do {
            return try T(columnValue: try columnValue(number))
        } catch {
            throw misfit(number, type, error)
        }
    }

    @inline(never)
    func convertedIfPresent<T: ColumnConvertible>(_ type: T.Type, _ number: Int) throws -> T? {
        presence(number) == .value ? try converted(type, number) : nil
    }
}

extension FastColumn where Self: FixedWidthInteger & BitwiseCopyable {
    @inline(__always)
    static func stored(_ reader: RowReader, _ number: Int) -> Self {
        Self(littleEndian: reader.fixed(number, as: Self.self))
    }
}

extension Int: FastColumn {}
extension Int8: FastColumn {}
extension Int16: FastColumn {}
extension Int32: FastColumn {}
extension Int64: FastColumn {}
extension UInt: FastColumn {}
extension UInt8: FastColumn {}
extension UInt16: FastColumn {}
extension UInt32: FastColumn {}
extension UInt64: FastColumn {}

extension Bool: FastColumn {
    @inline(__always)
    static func stored(_ reader: RowReader, _ number: Int) -> Bool { reader.fixed(number, as: UInt8.self) != 0 }
}

extension Double: FastColumn {
    @inline(__always)
    static func stored(_ reader: RowReader, _ number: Int) -> Double {
        Double(bitPattern: UInt64(littleEndian: reader.fixed(number, as: UInt64.self)))
    }
}

extension Float: FastColumn {
    @inline(__always)
    static func stored(_ reader: RowReader, _ number: Int) -> Float {
        Float(bitPattern: UInt32(littleEndian: reader.fixed(number, as: UInt32.self)))
    }
}

extension Date: FastColumn {
    @inline(__always)
    static func stored(_ reader: RowReader, _ number: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: Double.stored(reader, number))
    }
}

extension UUID: FastColumn {
    @inline(__always)
    static func stored(_ reader: RowReader, _ number: Int) -> UUID {
        UUID(uuid: reader.fixed(number, as: uuid_t.self))
    }
}

extension String: FastColumn {
    @inline(__always)
    static func stored(_ reader: RowReader, _ number: Int) throws -> String {
        unsafe String(decoding: try reader.bytes(number), as: UTF8.self)
    }
}

extension URL: FastColumn {
    static func stored(_ reader: RowReader, _ number: Int) throws -> URL {
        try reader.converted(URL.self, number)
    }
}

extension Data: FastColumn {
    static func stored(_ reader: RowReader, _ number: Int) throws -> Data { unsafe Data(try reader.bytes(number)) }
}

extension Array: FastColumn where Element: ByteColumn & Decodable {
    static func stored(_ reader: RowReader, _ number: Int) throws -> [Element] {
        Element.elements(of: unsafe Array<UInt8>(try reader.bytes(number)))
    }
}
