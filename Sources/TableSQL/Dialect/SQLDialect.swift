package import TableKit

/// The SQL of one database. Only the dialect and the connection know which database it is.
///
/// Every caller's name goes through ``quote(_:)``; every value is a parameter or goes through ``literal(_:_:)``.
package protocol SQLDialect: Sendable {
    /// The database's name, for messages.
    var name: String { get }

    /// A quoted name.
    /// - Throws: ``TableErrorCode/unsupported`` if the server would cut or refuse the name.
    func quote(_ identifier: String) throws -> String

    /// The placeholder of a parameter.
    /// - Parameter number: from 1 on.
    func placeholder(_ number: Int, _ type: ColumnType) -> String

    /// Whether a parameter can be an array of values (``SQLStatement/Parameter/array(_:_:)``).
    var hasArrays: Bool { get }

    /// The placeholder of an array of values. Called only if ``hasArrays``.
    func arrayPlaceholder(_ number: Int, _ type: ColumnType) -> String

    /// A value as a literal that cannot end the statement, for long lists on servers without arrays.
    func literal(_ value: ColumnValue, _ type: ColumnType) throws -> String

    /// Nil if a value can be stored in a column of a type; otherwise the reason, as a sentence.
    func refusal(of value: ColumnValue, _ type: ColumnType) -> String?

    /// A column in comparisons and orders: with the collation that orders UTF-8 by bytes.
    func comparable(_ column: String, _ type: ColumnType) -> String

    /// A column as groups name it, in SELECT and in GROUP BY.
    func grouped(_ column: String, _ type: ColumnType) -> String

    /// A column of one numeric type for an exact comparison with a column of another.
    func widened(_ column: String, _ type: ColumnType) -> String

    /// A term of ORDER BY. NULL is the least value.
    /// - Parameter isOptional: whether the expression may be NULL.
    func ordered(_ expression: String, isDescending: Bool, isOptional: Bool) -> String

    /// LIMIT and OFFSET after a space; empty without either.
    func limit(count: Int?, skip: Int) -> String

    /// A condition that matches text and ignores the case of ASCII letters only.
    /// - Parameter bind: adds a parameter of type ``ColumnType/string`` and returns its placeholder.
    func like(_ column: String, _ pattern: LikePattern, bind: (String) -> String) -> String

    /// The literals TRUE, FALSE and, for nil, NULL.
    func truth(_ value: Bool?) -> String

    /// An aggregate over an expression of a type, and its result's type; nil if the server's aggregates do not give the
    /// right answer. A sum of integers is text, since it may be out of range.
    func aggregate(
        _ aggregate: Aggregate, _ expression: String, _ type: ColumnType
    ) -> (expression: String, type: ColumnType)?

    /// A query that returns the server's plan for a statement, one line a row.
    func explain(_ statement: SQLStatement) -> SQLStatement
}

extension SQLDialect {
    package func arrayPlaceholder(_ number: Int, _ type: ColumnType) -> String { placeholder(number, type) }
    package func grouped(_ column: String, _ type: ColumnType) -> String { column }
    package func widened(_ column: String, _ type: ColumnType) -> String { column }
    package func truth(_ value: Bool?) -> String { value.map { $0 ? "TRUE" : "FALSE" } ?? "NULL" }

    package func limit(count: Int?, skip: Int) -> String {
        (count.map { " LIMIT \($0)" } ?? "") + (skip > 0 ? " OFFSET \(skip)" : "")
    }

    /// The aggregates of standard SQL: numbers of rows and values, and extremes. Nil for sums and averages, whose types
    /// differ from database to database.
    func standardAggregate(
        _ aggregate: Aggregate, _ expression: String, _ type: ColumnType
    ) -> (expression: String, type: ColumnType)? {
        switch aggregate {
        case .count: ("count(*)", .int64)
        case .countValues: ("count(\(expression))", .int64)
        case .countDistinct: ("count(DISTINCT \(comparable(expression, type)))", .int64)
        case .min: ("min(\(comparable(expression, type)))", type)
        case .max: ("max(\(comparable(expression, type)))", type)
        case .sum, .average: nil
        }
    }

    /// A text with each occurrence of a scalar doubled. Servers read scalars; by `Character`, a quote before a
    /// combining mark would be missed.
    package func doubling(_ scalar: Unicode.Scalar, in text: String) -> String {
        var doubled = String.UnicodeScalarView()
        for one in text.unicodeScalars {
            if one == scalar { doubled.append(one) }
            doubled.append(one)
        }
        return String(doubled)
    }

    /// The pattern for LIKE, with `\` as its escape character.
    package func escaped(_ pattern: LikePattern) -> String {
        func literal(_ text: String) -> String {
            var escaped = ""
            for scalar in text.unicodeScalars {
                if scalar == "%" || scalar == "_" || scalar == "\\" { escaped.unicodeScalars.append("\\") }
                escaped.unicodeScalars.append(scalar)
            }
            return escaped
        }
        switch pattern.place {
        case .anywhere: return "%\(literal(pattern.text))%"
        case .atStart: return "\(literal(pattern.text))%"
        case .atEnd: return "%\(literal(pattern.text))"
        case .whole: return literal(pattern.text)
        // In the caller's pattern a backslash is an ordinary character.
        case .wildcards: return doubling("\\", in: pattern.text)
        }
    }
}
