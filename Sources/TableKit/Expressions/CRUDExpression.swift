public import Foundation

/// Values for `sql(_:bindings:)`: pairs of a name, which is only informative, and the value.
public typealias Bindings = [(String, CRUDExpression)]

// `@unchecked Sendable`: a key path is immutable. One that captures a subscript's argument names no column: it is
// hashed and then refused.
/// An expression of conditions and bindings: a column, a value, or an operation on expressions.
///
/// Operators such as `\Person.id == 5` create expressions. Write cases directly for bindings and in custom operators.
/// Key paths resolve to columns of a statement's tables when the statement is built.
public enum CRUDExpression: @unchecked Sendable {
    /// A closure that produces a ``lazy(_:)`` expression.
    public typealias ExpressionProducer = @Sendable () -> CRUDExpression

    /// A column by name, of the first table of the chain that has it.
    case column(String)
    /// A property of a type in the chain.
    case keyPath(AnyKeyPath)
    /// An expression that is evaluated when a statement is built.
    case lazy(ExpressionProducer)

    /// Both conditions.
    indirect case and(lhs: CRUDExpression, rhs: CRUDExpression)
    /// One condition or both.
    indirect case or(lhs: CRUDExpression, rhs: CRUDExpression)
    /// The negation of a condition.
    indirect case not(rhs: CRUDExpression)
    /// Equal; with ``null``: IS NULL.
    indirect case equality(lhs: CRUDExpression, rhs: CRUDExpression)
    /// Not equal; with ``null``: IS NOT NULL.
    indirect case inequality(lhs: CRUDExpression, rhs: CRUDExpression)
    /// Less than.
    indirect case lessThan(lhs: CRUDExpression, rhs: CRUDExpression)
    /// Less than or equal.
    indirect case lessThanEqual(lhs: CRUDExpression, rhs: CRUDExpression)
    /// Greater than.
    indirect case greaterThan(lhs: CRUDExpression, rhs: CRUDExpression)
    /// Greater than or equal.
    indirect case greaterThanEqual(lhs: CRUDExpression, rhs: CRUDExpression)
    /// Equal to one of the values.
    indirect case `in`(lhs: CRUDExpression, rhs: [CRUDExpression])
    /// Text that matches the pattern. `wild1` allows any text before it, `wild2` any text after it.
    indirect case like(lhs: CRUDExpression, wild1: Bool, String, wild2: Bool)

    /// An integer.
    case integer(Int)
    /// An unsigned integer.
    case uinteger(UInt)
    /// An integer of 64 bits.
    case integer64(Int64)
    /// An unsigned integer of 64 bits.
    case uinteger64(UInt64)
    /// An integer of 32 bits.
    case integer32(Int32)
    /// An unsigned integer of 32 bits.
    case uinteger32(UInt32)
    /// An integer of 16 bits.
    case integer16(Int16)
    /// An unsigned integer of 16 bits.
    case uinteger16(UInt16)
    /// An integer of 8 bits.
    case integer8(Int8)
    /// An unsigned integer of 8 bits.
    case uinteger8(UInt8)
    /// A real number of 64 bits.
    case decimal(Double)
    /// A real number of 32 bits.
    case float(Float)
    /// Text.
    case string(String)
    /// Bytes.
    case blob([UInt8])
    /// Bytes, as signed numbers.
    case sblob([Int8])
    /// True or false.
    case bool(Bool)
    /// A UUID.
    case uuid(UUID)
    /// A date.
    case date(Date)
    /// A URL, stored as text.
    case url(URL)
    /// NULL.
    case null
    /// A value of any column type. The operators produce it.
    case value(ColumnValue)

    /// The value of a literal; nil for all other expressions.
    var literal: ColumnValue? {
        switch self {
        case .value(let value): value
        case .integer(let value): value.columnValue
        case .uinteger(let value): value.columnValue
        case .integer64(let value): value.columnValue
        case .uinteger64(let value): value.columnValue
        case .integer32(let value): value.columnValue
        case .uinteger32(let value): value.columnValue
        case .integer16(let value): value.columnValue
        case .uinteger16(let value): value.columnValue
        case .integer8(let value): value.columnValue
        case .uinteger8(let value): value.columnValue
        case .decimal(let value): value.columnValue
        case .float(let value): value.columnValue
        case .string(let value): value.columnValue
        case .blob(let value): value.columnValue
        case .sblob(let value): value.columnValue
        case .bool(let value): value.columnValue
        case .uuid(let value): value.columnValue
        case .date(let value): value.columnValue
        case .url(let value): value.columnValue
        case .null: .null
        default: nil
        }
    }

    /// The value of a binding: a literal, or a lazy expression that produces one.
    /// - Throws: ``CRUDSQLGenError`` for a column or an operation.
    package func bindingValue() throws(CRUDSQLGenError) -> ColumnValue {
        if case .lazy(let producer) = self { return try producer().bindingValue() }
        guard let literal else { throw CRUDSQLGenError("A binding is a value, not \(self).", code: .argument) }
        return literal
    }
}
