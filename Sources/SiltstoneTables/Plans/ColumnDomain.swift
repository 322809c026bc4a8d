import Siltstone
import TableKit

/// The values of one column that can match a condition: sorted, disjoint intervals.
struct ColumnDomain: Hashable, Sendable {
    private(set) var intervals: [KeyInterval]

    /// - Parameter intervals: in any order.
    init(_ intervals: [KeyInterval]) {
        if intervals.count == 1, !intervals[0].isEmpty {
            self.intervals = intervals
            return
        }
        var result: [KeyInterval] = []
        var sorted = intervals.filter { !$0.isEmpty }
        // Long lists of values are mostly sorted already.
        if !zip(sorted, sorted.dropFirst()).allSatisfy({ RowBytes.order($0.from, $1.from) <= 0 }) {
            sorted.sort { RowBytes.order($0.from, $1.from) < 0 }
        }
        for interval in sorted {
            guard let last = result.last, RowBytes.order(interval.from, last.to) < 0 else {
                result.append(interval)
                continue
            }
            // A point inside an interval merges into it.
            if RowBytes.order(last.to, interval.to) < 0 { result[result.count - 1].to = interval.to }
            result[result.count - 1].isPoint = last.isPoint && interval == last
        }
        self.intervals = result
    }

    /// The empty domain.
    static let nothing = ColumnDomain([])

    /// True if all intervals are single values.
    var isPoints: Bool { intervals.allSatisfy(\.isPoint) }

    /// True if there is at most one value.
    var isFixed: Bool { intervals.count <= 1 && isPoints }

    /// The values that all domains have; nil for no domains.
    ///
    /// By halves: one after the other, thousands of values that are left out would take the square of their number.
    static func intersection(of domains: ArraySlice<ColumnDomain>) -> ColumnDomain? {
        guard domains.count > 1 else { return domains.first }
        let middle = domains.startIndex + domains.count / 2
        guard let left = intersection(of: domains[..<middle]), let right = intersection(of: domains[middle...]) else {
            return nil
        }
        return left.intersection(right)
    }

    func intersection(_ other: ColumnDomain) -> ColumnDomain {
        var result: [KeyInterval] = []
        var (left, right) = (0, 0)
        while left < intervals.count, right < other.intervals.count {
            let (a, b) = (intervals[left], other.intervals[right])
            let common = a.intersection(b)
            if !common.isEmpty { result.append(common) }
            if RowBytes.order(a.to, b.to) < 0 { left += 1 } else { right += 1 }
        }
        return ColumnDomain(result)
    }
}

extension ColumnTest {
    /// The values that can pass the test. May contain more values if ``isDomainExact`` is false.
    var domain: ColumnDomain {
        switch self {
        case .isNull: ColumnDomain([.null])
        case .isNotNull, .isNotLike: ColumnDomain([.values])
        case .compare(let comparison, let value): ColumnDomain(Self.intervals(comparison, KeyInterval(value)))
        case .isIn(let values): ColumnDomain(values.map { KeyInterval($0) })
        case .isNotIn(let values): Self.complement(values)
        case .like(let pattern): Self.domain(pattern)
        }
    }

    /// True if all values of the domain pass the test.
    var isDomainExact: Bool {
        switch self {
        case .like, .isNotLike: false
        case .isNotIn(let values): values.count <= Self.mostHoles
        default: true
        }
    }

    /// The maximum length of a NOT IN list that splits the domain.
    private static let mostHoles = 16

    private static func intervals(_ comparison: Comparison, _ point: KeyInterval) -> [KeyInterval] {
        let below = KeyInterval(from: KeyInterval.values.from, to: point.from)
        let above = KeyInterval(from: point.to, to: KeyInterval.values.to)
        return switch comparison {
        case .equal: [point]
        case .notEqual: [below, above]
        case .less: [below]
        case .lessOrEqual: [KeyInterval(from: below.from, to: point.to)]
        case .greater: [above]
        case .greaterOrEqual: [KeyInterval(from: point.from, to: above.to)]
        }
    }

    private static func complement(_ values: [ColumnValue]) -> ColumnDomain {
        if values.count > mostHoles { return ColumnDomain([.values]) }
        return values.reduce(ColumnDomain([.values])) { rest, value in
            rest.intersection(ColumnDomain(intervals(.notEqual, KeyInterval(value))))
        }
    }

    /// The maximum number of letters that are expanded to both cases, for at most eight ranges.
    private static let mostLetters = 3

    private static func domain(_ pattern: LikePattern) -> ColumnDomain {
        if pattern.place == .anywhere || pattern.place == .atEnd { return ColumnDomain([.values]) }
        let hasWildcards = pattern.place == .wildcards
        var prefixes: [[UInt8]] = [[KeyTag.text]]
        var letters = 0
        for byte in pattern.text.utf8.map(TextPattern.folded) {
            let isLetter = byte >= 97 && byte <= 122
            if isLetter { letters += 1 }
            // A zero byte has an escaped encoding of two bytes.
            if letters > mostLetters || byte == 0 { break }
            if hasWildcards, byte == UInt8(ascii: "%") || byte == UInt8(ascii: "_") { break }
            prefixes = prefixes.flatMap { isLetter ? [$0 + [byte - 32], $0 + [byte]] : [$0 + [byte]] }
        }
        return ColumnDomain(prefixes.map { KeyInterval(from: $0, to: KeyInterval.successor($0)) })
    }
}

extension Condition {
    /// The values of a column of source 0 that can match the condition; nil if it does not restrict them.
    func domain(of column: Int) -> ColumnDomain? {
        switch self {
        case .always, .columns: return nil
        case .never: return .nothing
        case .test(let reference, let test): return reference.column == column ? test.domain : nil
        case .and(let parts):
            return ColumnDomain.intersection(of: parts.compactMap { $0.domain(of: column) }[...])
        case .or(let parts):
            var intervals: [KeyInterval] = []
            for part in parts {
                guard let other = part.domain(of: column) else { return nil }
                intervals += other.intervals
            }
            return ColumnDomain(intervals)
        }
    }

    /// True if the condition matches exactly the rows whose columns are all in their domains.
    var isProductOfDomains: Bool {
        conjuncts.allSatisfy { part in
            switch part {
            case .test(_, let test): test.isDomainExact
            case .or(let tests): Set(tests.flatMap(\.references)).count == 1 && tests.allSatisfy(\.isExactTest)
            case .always, .never: true
            case .columns, .and: false
            }
        }
    }

    private var isExactTest: Bool {
        if case .test(_, let test) = self { test.isDomainExact } else { false }
    }
}
