import TableKit

/// About which part of a table's rows meets a condition: by the statistics of columns, where the table was analyzed, else
/// without knowing the rows.
struct Selectivity: Sendable {
    /// What is known of columns, by number.
    let statistics: [Int: IndexStatistics]

    /// The part of the rows that meets a condition of source 0.
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
            // The domain of a pattern that begins with anything says nothing of it.
            let domain = test.domain
            if domain == ColumnDomain([.values]) { return test.usualShare }
            return domain.share(known)
        default: return test.domain.share(known)
        }
    }

    /// About how many rows have the same value of a column, of a table with so many rows.
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
    /// The part of rows that meets a test, as it is in many tables.
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
