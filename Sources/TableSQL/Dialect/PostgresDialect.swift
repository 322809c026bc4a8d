package import TableKit

/// PostgreSQL 12 and later, and servers that accept its SQL: CockroachDB, YugabyteDB, Citus.
package struct PostgresDialect: SQLDialect {
    package var name: String { "PostgreSQL" }
    package var hasArrays: Bool { true }

    /// The isolation level of writing transactions, as BEGIN names it.
    package var isolation: String

    /// Whether text has the collation C, which orders by bytes. CockroachDB has no collation of that name and orders
    /// text by bytes anyway.
    private let hasCollations: Bool

    package init(isolation: String = "SERIALIZABLE", hasCollations: Bool = true) {
        self.isolation = isolation
        self.hasCollations = hasCollations
    }

    /// Whether tables with a UInt64 key number it: not on strict servers, since CockroachDB changes no type of a key.
    var numbersUnsignedKeys: Bool { hasCollations }

    /// Whether indexes say where NULLs are: not on strict servers. In CockroachDB NULLs are first without a word, and
    /// older versions refuse one.
    private var placesNulls: Bool { hasCollations }

    /// Whether the catalogue is asked for types and index methods of other programs.
    var readsTypes: Bool { hasCollations }

    /// The clause that orders text by bytes.
    var collation: String { hasCollations ? " COLLATE \"C\"" : "" }

    /// The most bytes of a name. PostgreSQL silently cuts longer names.
    static let nameBytes = 63

    package func quote(_ identifier: String) throws -> String {
        guard !identifier.isEmpty, identifier.utf8.count <= Self.nameBytes, !identifier.utf8.contains(0) else {
            throw CRUDSQLGenError(
                "PostgreSQL's names have 1 to \(Self.nameBytes) bytes and no null character: \"\(identifier)\"")
        }
        return "\"\(doubling("\"", in: identifier))\""
    }

    package func placeholder(_ number: Int, _ type: ColumnType) -> String { "$\(number)::\(typeName(type))" }

    /// The SQL type of a column, without its collation.
    package func typeName(_ type: ColumnType) -> String {
        switch type {
        case .bool: "boolean"
        case .int8, .int16, .uint8: "smallint"
        case .int32, .uint16: "integer"
        case .int64, .uint32: "bigint"
        case .uint64: "numeric"
        case .float: "real"
        // A timestamp would round to microseconds.
        case .double, .date: "double precision"
        case .uuid: "uuid"
        case .string, .json: "text"
        case .bytes: "bytea"
        }
    }

    package func literal(_ value: ColumnValue, _ type: ColumnType) throws -> String {
        throw CRUDSQLGenError("PostgreSQL takes lists as arrays.")
    }

    package func refusal(of value: ColumnValue, _ type: ColumnType) -> String? {
        switch value {
        case .text(let text) where text.utf8.contains(0), .json(let text) where text.utf8.contains(0):
            "PostgreSQL stores no null character in text; store it as bytes"
        default: nil
        }
    }

    package func comparable(_ column: String, _ type: ColumnType) -> String {
        type == .string || type == .json ? "\(column)\(collation)" : column
    }

    package func widened(_ column: String, _ type: ColumnType) -> String {
        // numeric has NaN and the infinities, and compares exactly with integers.
        if type.isInteger { return "\(column)::numeric" }
        guard type.isFloatingPoint else { return comparable(column, type) }
        // A cast from double to numeric keeps fifteen digits. Integers go through bigint, those of UInt64 by their
        // half: doubles of that size are even. The text of a fraction lies between the same two integers as the double.
        let value = "(\(column)::double precision)"
        return "(CASE WHEN \(value) >= -9223372036854775808 AND \(value) < 9223372036854775808"
            + " THEN CASE WHEN \(value)::bigint = \(value) THEN \(value)::bigint::numeric ELSE \(value)::text::numeric END"
            + " WHEN \(value) >= 9223372036854775808 AND \(value) < 18446744073709551616"
            + " THEN (\(value) / 2)::bigint::numeric * 2 ELSE \(value)::text::numeric END)"
    }

    /// The server does not know that an order without NULLs is the same with either clause. So a column that cannot be
    /// NULL has none, as its index has none.
    package func ordered(_ expression: String, isDescending: Bool, isOptional: Bool) -> String {
        let nulls = isDescending ? " NULLS LAST" : Self.nullsFirst
        return expression + (isDescending ? " DESC" : "") + (isOptional ? nulls : "")
    }

    private static let nullsFirst = " NULLS FIRST"

    /// A column of a new index, which an order by the column can use in both directions.
    func indexed(_ name: String, isOptional: Bool) -> String {
        name + (isOptional && placesNulls ? Self.nullsFirst : "")
    }

    package func like(_ column: String, _ pattern: LikePattern, bind: (String) -> String) -> String {
        // With the collation C, lower() folds ASCII letters only.
        "lower(\(column)\(collation)) LIKE lower(\(bind(escaped(pattern)))\(collation)) ESCAPE '\\'"
    }

    package func arrayPlaceholder(_ number: Int, _ type: ColumnType) -> String { "$\(number)::\(typeName(type))[]" }

    package func aggregate(
        _ aggregate: Aggregate, _ expression: String, _ type: ColumnType
    ) -> (expression: String, type: ColumnType)? {
        switch aggregate {
        case .min: (extreme(expression, type, isGreatest: false), type)
        case .max: (extreme(expression, type, isGreatest: true), type)
        case .sum where type.isInteger: ("sum(\(expression))::text", .string)
        case .sum where type.isFloatingPoint: ("sum(\(expression)::double precision)", .double)
        case .average where type.isInteger: ("avg(\(expression))::double precision", .double)
        // avg() of doubles also adds up their squares, which overflow.
        case .average where type.isFloatingPoint:
            ("sum(\(expression)::double precision) / count(\(expression))", .double)
        default: standardAggregate(aggregate, expression, type)
        }
    }

    private func extreme(_ expression: String, _ type: ColumnType, isGreatest: Bool) -> String {
        switch type {
        case .bool: "\(isGreatest ? "bool_or" : "bool_and")(\(expression))"
        // min and max of these types exist since PostgreSQL 18 only.
        case .uuid, .bytes:
            "(array_agg(\(expression) ORDER BY \(expression)\(isGreatest ? " DESC" : ""))"
                + " FILTER (WHERE \(expression) IS NOT NULL))[1]"
        default: "\(isGreatest ? "max" : "min")(\(comparable(expression, type)))"
        }
    }

    package func explain(_ statement: SQLStatement) -> SQLStatement {
        var statement = statement
        statement.text = "EXPLAIN \(statement.text)"
        statement.results = [.string]
        return statement
    }
}
