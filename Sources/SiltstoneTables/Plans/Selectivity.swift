import TableKit

/// Estimates the share of a table's rows that match a condition: by statistics, or else by fixed shares.
struct Selectivity: Sendable {
    /// The statistics of columns, by number.
    let statistics: [Int: IndexStatistics]

    /// The estimated share of rows that match a condition of source 0.
    func share(_ condition: Condition) -> Double {
        switch condition {
        case .always: 1
        case .never: 0
        case .test(let column, let test): share(test, column.column)
        case .columns(_, let comparison, _): comparison == .equal ? 0.1 : 0.3
        case .and(let parts): parts.reduce(1) { $0 * share($1) }
        case .or(let parts): min(1, parts.reduce(0) { $0 + share($1) })
        }
    }

    private func share(_ test: ColumnTest, _ column: Int) -> Double {
        guard let known = statistics[column] else { return test.usualShare }
        switch test {
        case .like, .isNotLike:
            // The domain of a pattern with a leading wildcard carries no information.
            let domain = test.domain
            if domain == ColumnDomain([.values]) { return test.usualShare }
            return domain.share(known)
        default: return test.domain.share(known)
        }
    }

    /// The estimated number of rows for each value of a column; nil without statistics.
    func rowsPerValue(_ column: Int) -> Double? {
        statistics[column].map { max($0.entriesPerValue(), 1) }
    }
}

extension ColumnDomain {
    fileprivate func share(_ statistics: IndexStatistics) -> Double {
        min(intervals.reduce(0) { $0 + statistics.share(of: $1) }, 1)
    }
}

extension ColumnTest {
    /// The share of rows that pass a test in a typical table.
    fileprivate var usualShare: Double {
        switch self {
        case .isNull: 0.1
        case .isNotNull, .isNotIn, .isNotLike: 0.9
        case .compare(let comparison, _): comparison == .equal ? 0.05 : comparison == .notEqual ? 0.95 : 0.25
        case .isIn(let values): min(1, 0.05 * Double(values.count))
        case .like: 0.1
        }
    }
}
