public import Foundation

/// One row for ``RowDecodable``. It is valid only during the call that receives it.
public struct Row: ~Copyable {
    let reader: RowReader

    init(reader: RowReader) { self.reader = reader }

    /// The number of a column, or `unknown` if it is out of range.
    private func number(_ column: Int) -> Int {
        column >= 0 && column < reader.columnCount ? column : reader.names.unknown
    }

    // An overload for each of these types, since the generic one below compares types at run time.

    /// A column's value.
    /// - Parameter column: its number in ``RowDecodable/rowColumns``. The other overloads are alike.
    /// - Throws: ``CRUDDecoderError`` if the column is NULL, missing, or of another type.
    public func value(_ column: Int) throws -> Int { try Int.read(reader, number(column)) }
    /// A column's value, or nil if it is NULL or the table lacks the column.
    public func value(_ column: Int) throws -> Int? { try Int.readIfPresent(reader, number(column)) }
    /// A column's value.
    public func value(_ column: Int) throws -> Int32 { try Int32.read(reader, number(column)) }
    /// A column's value, or nil.
    public func value(_ column: Int) throws -> Int32? { try Int32.readIfPresent(reader, number(column)) }
    /// A column's value.
    public func value(_ column: Int) throws -> Int64 { try Int64.read(reader, number(column)) }
    /// A column's value, or nil.
    public func value(_ column: Int) throws -> Int64? { try Int64.readIfPresent(reader, number(column)) }
    /// A column's value.
    public func value(_ column: Int) throws -> Bool { try Bool.read(reader, number(column)) }
    /// A column's value, or nil.
    public func value(_ column: Int) throws -> Bool? { try Bool.readIfPresent(reader, number(column)) }
    /// A column's value.
    public func value(_ column: Int) throws -> Double { try Double.read(reader, number(column)) }
    /// A column's value, or nil.
    public func value(_ column: Int) throws -> Double? { try Double.readIfPresent(reader, number(column)) }
    /// A column's value.
    public func value(_ column: Int) throws -> String { try String.read(reader, number(column)) }
    /// A column's value, or nil.
    public func value(_ column: Int) throws -> String? { try String.readIfPresent(reader, number(column)) }
    /// A column's value.
    public func value(_ column: Int) throws -> Date { try Date.read(reader, number(column)) }
    /// A column's value, or nil.
    public func value(_ column: Int) throws -> Date? { try Date.readIfPresent(reader, number(column)) }
    /// A column's value.
    public func value(_ column: Int) throws -> UUID { try UUID.read(reader, number(column)) }
    /// A column's value, or nil.
    public func value(_ column: Int) throws -> UUID? { try UUID.readIfPresent(reader, number(column)) }
    /// A column's value.
    public func value(_ column: Int) throws -> [UInt8] { try [UInt8].read(reader, number(column)) }
    /// A column's value, or nil.
    public func value(_ column: Int) throws -> [UInt8]? { try [UInt8].readIfPresent(reader, number(column)) }

    /// A column's value as any property type: an enum, an optional, a nested value.
    public func value<T: Decodable>(_ column: Int) throws -> T { try reader.value(T.self, number(column)) }

    /// The array that a join fills for the row; nil if the query has no such join.
    /// - Parameter property: the name of the array property's coding key.
    public func joined<Child: Decodable>(_ property: String) throws -> [Child]? {
        guard let number = reader.names.numbers[property], number >= reader.columnCount else { return nil }
        return try reader.array([Child].self, number)
    }
}
