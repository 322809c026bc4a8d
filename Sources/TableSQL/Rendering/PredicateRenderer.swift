package import TableKit

/// Renders conditions, with the three-valued logic that they have in memory.
package struct PredicateRenderer {
    let sources: [SQLSource]
    /// The longest list rendered as placeholders on servers without arrays; longer lists are literals.
    private static let placeholders = 200
    /// The most operands of AND and OR in one pair of parentheses.
    private static let longestChain = 100

    package init(_ sources: [SQLSource]) { self.sources = sources }

    /// A column as statements name it.
    package func column(_ reference: ColumnReference, _ dialect: any SQLDialect) throws -> String {
        let source = sources[reference.source]
        let name = try dialect.quote(source.structure.columns[reference.column].name)
        return source.alias.isEmpty ? name : "\(source.alias).\(name)"
    }

    /// A column as comparisons name it.
    package func comparable(_ reference: ColumnReference, _ dialect: any SQLDialect) throws -> String {
        dialect.comparable(try column(reference, dialect), type(reference))
    }

    private func type(_ reference: ColumnReference) -> ColumnType { sources[reference.source].type(reference.column) }

    private func source(_ reference: ColumnReference) -> SQLSource { sources[reference.source] }

    /// Throws `unsupported` for columns whose values are not in the order of the structure's types. Two columns of one
    /// type and form are equal where their values are.
    func checkOrder(of left: ColumnReference, _ comparison: Comparison, _ right: ColumnReference) throws {
        let haveOneForm =
            type(left) == type(right) && [left, right].allSatisfy { !source($0).hasForeignForm($0.column) }
        if haveOneForm, comparison == .equal || comparison == .notEqual { return }
        for reference in [left, right] { try source(reference).checkOrder(of: reference.column) }
    }

    private func dateForm(_ reference: ColumnReference) -> DateForm? {
        sources[reference.source].dateForm(reference.column)
    }

    /// Appends a condition.
    package func append(_ predicate: Predicate, to text: inout SQLText) throws {
        let dialect = text.dialect
        switch predicate {
        case .constant(let value): text += dialect.truth(value)
        case .compare(let reference, let comparison, let value):
            if value.isNull { return text += dialect.truth(nil) }
            try source(reference).checkForm(of: reference.column, value)
            let folded = FoldedComparison(comparison, value, with: type(reference), dialect)
            try append(folded, of: reference, to: &text)
        case .compareColumns(let left, let comparison, let right):
            try checkOrder(of: left, comparison, right)
            try append(left, comparison, right, to: &text)
        case .isNull(let reference): text += "\(try column(reference, dialect)) IS NULL"
        case .isIn(let reference, let values): try append(list: values, of: reference, to: &text)
        case .like(let reference, let pattern): try append(pattern, of: reference, to: &text)
        case .not(let part):
            text += "NOT ("
            try append(part, to: &text)
            text += ")"
        case .and(let parts): try append(parts, " AND ", whenEmpty: true, to: &text)
        case .or(let parts): try append(parts, " OR ", whenEmpty: false, to: &text)
        }
    }

    private func append(
        _ parts: [Predicate], _ word: String, whenEmpty empty: Bool, to text: inout SQLText
    ) throws {
        if parts.isEmpty { return text += text.dialect.truth(empty) }
        try append(parts[...], word, to: &text)
    }

    /// Appends operands in parentheses, many as two halves. SQLite parses a chain as a tree of the same depth, and
    /// refuses trees that are deeper than 1,000.
    private func append(_ parts: ArraySlice<Predicate>, _ word: String, to text: inout SQLText) throws {
        text += "("
        if parts.count > Self.longestChain {
            let half = parts.startIndex + parts.count / 2
            try append(parts[..<half], word, to: &text)
            text += word
            try append(parts[half...], word, to: &text)
            return text += ")"
        }
        for (number, part) in parts.enumerated() {
            if number > 0 { text += word }
            try append(part, to: &text)
        }
        text += ")"
    }

    private func append(_ folded: FoldedComparison, of reference: ColumnReference, to text: inout SQLText) throws {
        switch folded {
        case .constant(let value): try append(value, unlessNull: reference, to: &text)
        case .compare(let comparison, let value, let type):
            text += "\(try comparable(reference, text.dialect)) \(comparison.sign) "
            text.bind(value, type, dateForm(reference))
        }
    }

    /// Appends a truth value that is NULL where the column is NULL.
    private func append(_ value: Bool, unlessNull reference: ColumnReference, to text: inout SQLText) throws {
        let dialect = text.dialect
        let column = try column(reference, dialect)
        text += "(CASE WHEN \(column) IS NULL THEN \(dialect.truth(nil)) ELSE \(dialect.truth(value)) END)"
    }

    private func append(
        _ left: ColumnReference, _ comparison: Comparison, _ right: ColumnReference, to text: inout SQLText
    ) throws {
        let dialect = text.dialect
        let (a, b) = (type(left), type(right))
        if dateForm(left) != dateForm(right), a == b {
            let seconds = try [left, right].map { reference in
                let name = try column(reference, dialect)
                return dateForm(reference)?.seconds(of: name) ?? name
            }
            text += seconds.joined(separator: " \(comparison.sign) ")
        } else if a == b || (a.isInteger && b.isInteger) || (a.isFloatingPoint && b.isFloatingPoint) {
            text += "\(try comparable(left, dialect)) \(comparison.sign) \(try comparable(right, dialect))"
        } else if (a.isInteger || a.isFloatingPoint) && (b.isInteger || b.isFloatingPoint) {
            let (one, other) = (try column(left, dialect), try column(right, dialect))
            text += "\(dialect.widened(one, a)) \(comparison.sign) \(dialect.widened(other, b))"
        } else {
            // Values of different kinds are ordered by kind.
            let value = comparison.holds(order: ColumnValue.order(a.sample, b.sample))
            let names = (try column(left, dialect), try column(right, dialect))
            text += "(CASE WHEN \(names.0) IS NULL OR \(names.1) IS NULL THEN \(dialect.truth(nil))"
            text += " ELSE \(dialect.truth(value)) END)"
        }
    }

    private func append(list: [ColumnValue], of reference: ColumnReference, to text: inout SQLText) throws {
        if list.isEmpty { return text += text.dialect.truth(false) }
        for value in list { try source(reference).checkForm(of: reference.column, value) }
        let dialect = text.dialect
        var kept: [ColumnValue] = []
        var keptType = type(reference)
        for value in list {
            if case .compare(_, let value, let type) = FoldedComparison(.equal, value, with: type(reference), dialect) {
                kept.append(value)
                keptType = type
            }
        }
        let hasNull = list.contains { $0.isNull }
        if hasNull { text += "(" }
        if kept.isEmpty {
            try append(false, unlessNull: reference, to: &text)
        } else {
            try append(found: kept, keptType, of: reference, to: &text)
        }
        if hasNull { text += " OR \(dialect.truth(nil)))" }
    }

    /// Appends a condition that the column equals one of some values of a comparable type.
    private func append(
        found values: [ColumnValue], _ type: ColumnType, of reference: ColumnReference, to text: inout SQLText
    ) throws {
        let dialect = text.dialect
        text += try comparable(reference, dialect)
        if dialect.hasArrays {
            text += " = ANY("
            text.bind(array: values, type, dateForm(reference))
            return text += ")"
        }
        text += " IN ("
        // Lengths are rounded up, so that few statement texts are prepared.
        let isShort = values.count <= Self.placeholders
        let count = isShort ? Self.rounded(values.count) : values.count
        for number in 0..<count {
            if number > 0 { text += ", " }
            let value = values[min(number, values.count - 1)]
            if isShort { text.bind(value, type) } else { text += try dialect.literal(value, type) }
        }
        if !isShort { text.isUnique = true }
        text += ")"
    }

    private static func rounded(_ count: Int) -> Int {
        var size = 1
        while size < count { size *= 2 }
        return min(size, max(count, placeholders))
    }

    private func append(_ pattern: LikePattern, of reference: ColumnReference, to text: inout SQLText) throws {
        let type = type(reference)
        guard type == .string || type == .json else { return try append(false, unlessNull: reference, to: &text) }
        let dialect = text.dialect
        // A server that refuses a null character stores no text with one.
        if dialect.refusal(of: .text(pattern.text), .string) != nil {
            return try append(false, unlessNull: reference, to: &text)
        }
        var copy = text
        let condition = dialect.like(try column(reference, dialect), pattern) {
            copy.placeholder(for: .text($0), .string)
        }
        text = copy
        text += condition
    }
}
