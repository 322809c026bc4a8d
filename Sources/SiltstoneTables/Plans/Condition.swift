import TableKit

/// A predicate without negation, constants and foreign literals: what plans and filters are made from.
///
/// Negation is pushed into the tests. Without one above them, unknown has the same effect as false, so every part is
/// either met or not.
indirect enum Condition: Hashable, Sendable {
    case always
    case never
    case test(ColumnReference, ColumnTest)
    case columns(ColumnReference, Comparison, ColumnReference)
    case and([Condition])
    case or([Condition])
}

/// A test of one column. Met by NULL only where it says so.
enum ColumnTest: Hashable, Sendable {
    case isNull
    case isNotNull
    /// The value is of the column's own kind.
    case compare(Comparison, ColumnValue)
    /// Sorted, distinct, not empty, of the column's own kind.
    case isIn([ColumnValue])
    /// As of ``isIn(_:)``.
    case isNotIn([ColumnValue])
    case like(LikePattern)
    case isNotLike(LikePattern)
}

extension Condition {
    /// The conditions that all must be met.
    var conjuncts: [Condition] {
        switch self {
        case .always: []
        case .and(let parts): parts
        default: [self]
        }
    }

    /// The conjunction: flat, without `always`, and `never` where a part is never met.
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

    /// The disjunction: flat, without `never`, with equalities of one column collected into one list.
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

    /// Whether a test holds for every column that the condition names. Makes no set of them.
    func allReferences(_ test: (ColumnReference) -> Bool) -> Bool {
        switch self {
        case .always, .never: true
        case .test(let column, _): test(column)
        case .columns(let left, _, let right): test(left) && test(right)
        case .and(let parts), .or(let parts): parts.allSatisfy { $0.allReferences(test) }
        }
    }

    /// The numbers of the tables that the condition names.
    var sources: Set<Int> { Set(references.map(\.source)) }

    /// The columns that the condition names.
    var references: Set<ColumnReference> {
        switch self {
        case .always, .never: []
        case .test(let column, _): [column]
        case .columns(let left, _, let right): [left, right]
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.references) }
        }
    }

    /// The condition with table `source` as its only one, number 0.
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
    /// The values that the test lists, where it is one of equality.
    fileprivate var equals: [ColumnValue] {
        switch self {
        case .compare(.equal, let value): [value]
        case .isIn(let values): values
        default: []
        }
    }

    /// The test for one of these values.
    /// - Parameter values: at least one.
    static func equal(to values: [ColumnValue]) -> ColumnTest {
        let values = distinct(values)
        return values.count == 1 ? .compare(.equal, values[0]) : .isIn(values)
    }

    /// The values in order, each once.
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
    /// The comparison that is true where this one is false.
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

    /// The comparison with the sides exchanged.
    var mirrored: Comparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    /// Whether values of this order (below, at or above 0) meet the comparison.
    @inline(__always)
    func accepts(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}
