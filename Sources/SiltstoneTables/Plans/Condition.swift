import TableKit

/// A normalised predicate for plans and filters, without negation, constants and literals of other types.
///
/// Negation is pushed into the tests. Without a NOT above them, unknown acts like false: a part matches or does not.
indirect enum Condition: Hashable, Sendable {
    case always
    case never
    case test(ColumnReference, ColumnTest)
    case columns(ColumnReference, Comparison, ColumnReference)
    case and([Condition])
    case or([Condition])
}

/// A test of one column. NULL fails it, unless the case says otherwise.
enum ColumnTest: Hashable, Sendable {
    case isNull
    case isNotNull
    /// The value is of the column's own type.
    case compare(Comparison, ColumnValue)
    /// The values are sorted, distinct, of the column's own type, and at least one.
    case isIn([ColumnValue])
    /// See ``isIn(_:)``.
    case isNotIn([ColumnValue])
    case like(LikePattern)
    case isNotLike(LikePattern)
}

extension Condition {
    /// The operands of a conjunction; for other conditions, the condition itself.
    var conjuncts: [Condition] {
        switch self {
        case .always: []
        case .and(let parts): parts
        default: [self]
        }
    }

    /// The conjunction, flattened and without `always`. It is `never` if a part is.
    static func all(_ parts: [Condition]) -> Condition {
        var flat: [Condition] = []
        for part in parts {
            switch part {
            case .always: continue
            case .never: return .never
            case .and(let inner): flat += inner
            default: flat.append(part)
            }
        }
        return flat.isEmpty ? .always : flat.count == 1 ? flat[0] : .and(flat)
    }

    /// The disjunction, flattened and without `never`. Merges equalities of one column into one list.
    static func any(_ parts: [Condition]) -> Condition {
        var flat: [Condition] = []
        for part in parts {
            switch part {
            case .never: continue
            case .always: return .always
            case .or(let inner): flat += inner
            default: flat.append(part)
            }
        }
        flat = collectingEqualities(flat)
        return flat.isEmpty ? .never : flat.count == 1 ? flat[0] : .or(flat)
    }

    private static func collectingEqualities(_ parts: [Condition]) -> [Condition] {
        var values: [ColumnReference: [ColumnValue]] = [:]
        for case .test(let column, let test) in parts { values[column, default: []] += test.equals }
        var result: [Condition] = []
        var seen: Set<ColumnReference> = []
        for part in parts {
            guard case .test(let column, let test) = part, !test.equals.isEmpty else {
                result.append(part)
                continue
            }
            if seen.insert(column).inserted { result.append(.test(column, .equal(to: values[column] ?? []))) }
        }
        return result
    }

    /// True if all columns of the condition satisfy a test. Avoids the set of ``references``.
    func allReferences(_ test: (ColumnReference) -> Bool) -> Bool {
        switch self {
        case .always, .never: true
        case .test(let column, _): test(column)
        case .columns(let left, _, let right): test(left) && test(right)
        case .and(let parts), .or(let parts): parts.allSatisfy { $0.allReferences(test) }
        }
    }

    /// The numbers of the tables that the condition refers to.
    var sources: Set<Int> { Set(references.map(\.source)) }

    /// The columns that the condition refers to.
    var references: Set<ColumnReference> {
        switch self {
        case .always, .never: []
        case .test(let column, _): [column]
        case .columns(let left, _, let right): [left, right]
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.references) }
        }
    }

    /// The condition on table `source`, renumbered to source 0.
    func moved(from source: Int) -> Condition {
        func moved(_ column: ColumnReference) -> ColumnReference {
            ColumnReference(source: column.source - source, column: column.column)
        }
        if source == 0 { return self }
        switch self {
        case .always, .never: return self
        case .test(let column, let test): return .test(moved(column), test)
        case .columns(let left, let comparison, let right): return .columns(moved(left), comparison, moved(right))
        case .and(let parts): return .and(parts.map { $0.moved(from: source) })
        case .or(let parts): return .or(parts.map { $0.moved(from: source) })
        }
    }
}

extension ColumnTest {
    /// The values of a test for equality; empty for other tests.
    fileprivate var equals: [ColumnValue] {
        switch self {
        case .compare(.equal, let value): [value]
        case .isIn(let values): values
        default: []
        }
    }

    /// A test for equality with one of these values.
    /// - Parameter values: at least one.
    static func equal(to values: [ColumnValue]) -> ColumnTest {
        let values = distinct(values)
        return values.count == 1 ? .compare(.equal, values[0]) : .isIn(values)
    }

    /// The distinct values, sorted.
    static func distinct(_ values: [ColumnValue]) -> [ColumnValue] {
        var result: [ColumnValue] = []
        result.reserveCapacity(values.count)
        for value in values.sorted(by: { ColumnValue.order($0, $1) < 0 }) {
            if let last = result.last, ColumnValue.areSame(last, value) { continue }
            result.append(value)
        }
        return result
    }
}

extension Comparison {
    /// The negated comparison.
    var negated: Comparison {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        }
    }
}
