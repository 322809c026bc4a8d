/// The running sum of the numbers of a column. Integers are added exactly, apart from reals.
@usableFromInline
package struct NumberSum {
    @usableFromInline var count = 0
    @usableFromInline var whole: Int128 = 0
    @usableFromInline var real = 0.0

    @inlinable
    package init() {}

    /// Adds a value.
    /// - Returns: false if it is no number; then the sum is the same as before.
    @inlinable
    package mutating func add(_ value: ColumnValue) -> Bool {
        switch value {
        case .integer(let number): whole += Int128(number)
        case .unsigned(let number): whole += Int128(number)
        case .bool(let isTrue): whole += isTrue ? 1 : 0
        case .real(let number): real += number
        default: return false
        }
        count += 1
        return true
    }

    /// The error for a value that is no number.
    package static func refusal(of column: Column) -> CRUDSQLExeError {
        CRUDSQLExeError("Only numbers have a sum.", code: .type, column: column.name)
    }

    /// The sum in the column's type, or a real if reals were added; NULL without values.
    /// - Throws: ``TableErrorCode/type`` on overflow of an integer sum.
    package func total(of column: Column) throws(CRUDSQLExeError) -> ColumnValue {
        if count == 0 { return .null }
        // The table's type may be another than that of a structure, whose column this may be.
        if column.type.isFloatingPoint || real != 0 { return .real(real + Double(whole)) }
        if let sum = Int64(exactly: whole) { return .integer(sum) }
        if column.type == .uint64, let sum = UInt64(exactly: whole) { return ColumnValue(sum) }
        throw CRUDSQLExeError("The sum is out of the range of 64 bits.", code: .type, column: column.name)
    }

    /// The average; NULL without values.
    package var average: ColumnValue {
        count == 0 ? .null : .real((real + Double(whole)) / Double(count))
    }
}
