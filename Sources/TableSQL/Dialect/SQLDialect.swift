package import TableKit

/// How one database writes the SQL that tables need: the only place, besides the connection, that knows which one it is.
///
/// Everything a caller can name goes through ``quote(_:)``; every value is a parameter or goes through ``literal(_:_:)``.
package protocol SQLDialect: Sendable {
    /// The database's name, for messages.
    var name: String { get }

    /// A name as the server reads it, whatever characters it has.
    /// - Throws: ``TableErrorCode/unsupported`` where the server would cut or refuse it.
    func quote(_ identifier: String) throws -> String

    /// The placeholder of a parameter.
    /// - Parameter number: from 1 on.
    func placeholder(_ number: Int, _ type: ColumnType) -> String

    /// Whether a parameter can be an array of values (``SQLStatement/Parameter/array(_:_:)``).
    var hasArrays: Bool { get }

    /// The placeholder of an array of values. Never asked for where ``hasArrays`` is false.
    func arrayPlaceholder(_ number: Int, _ type: ColumnType) -> String

    /// A value as text within a statement, quoted so that no value can end it: for long lists where there are no arrays.
    func literal(_ value: ColumnValue, _ type: ColumnType) throws -> String

    /// Whether a value can be stored in a column of a type. Nil: it can; else why not, as a sentence.
    func refusal(of value: ColumnValue, _ type: ColumnType) -> String?

    /// A column's expression, as it is compared and ordered: with the collation that orders UTF-8 by bytes.
    func comparable(_ column: String, _ type: ColumnType) -> String

    /// Two columns of different numeric types beside each other, exactly.
    func widened(_ column: String, _ type: ColumnType) -> String

    /// A term of ORDER BY with NULL as the least value.
    func ordered(_ expression: String, isDescending: Bool) -> String

    /// LIMIT and OFFSET with a space before; empty for neither.
    func limit(count: Int?, skip: Int) -> String

    /// A condition that matches text without regard to the case of ASCII letters, and to no other.
    /// - Parameter pattern: adds a parameter of type ``ColumnType/string`` and returns its placeholder.
    func like(_ column: String, _ pattern: LikePattern, bind: (String) -> String) -> String

    /// The words TRUE, FALSE and an unknown truth value.
    func truth(_ value: Bool?) -> String

    /// An aggregate over an expression of a type, with the type of the result; nil where the server has none that gives the
    /// right answer. A sum of integers is text, since it may be out of range.
    func aggregate(
        _ aggregate: Aggregate, _ expression: String, _ type: ColumnType
    ) -> (expression: String, type: ColumnType)?

    /// A query whose rows are lines that say how the server would run a statement.
    func explain(_ statement: SQLStatement) -> SQLStatement
}

extension SQLDialect {
    package func arrayPlaceholder(_ number: Int, _ type: ColumnType) -> String { placeholder(number, type) }
    package func widened(_ column: String, _ type: ColumnType) -> String { column }
    package func truth(_ value: Bool?) -> String { value.map { $0 ? "TRUE" : "FALSE" } ?? "NULL" }

    package func limit(count: Int?, skip: Int) -> String {
        (count.map { " LIMIT \($0)" } ?? "") + (skip > 0 ? " OFFSET \(skip)" : "")
    }

    /// A text with a character doubled, wherever it stands: by Unicode scalars, as servers read it. Swift's own characters
    /// would miss a quote that a combining mark follows.
    package func doubling(_ scalar: Unicode.Scalar, in text: String) -> String {
        var doubled = String.UnicodeScalarView()
        for one in text.unicodeScalars {
            if one == scalar { doubled.append(one) }
            doubled.append(one)
        }
        return String(doubled)
    }

    /// The pattern of a LIKE with `\` as its escape character.
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
        // In the caller's pattern a backslash is a character like any other.
        case .wildcards: return doubling("\\", in: pattern.text)
        }
    }
}
