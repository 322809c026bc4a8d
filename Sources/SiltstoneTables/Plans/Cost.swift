/// What the steps of plans cost, in microseconds. Plans differ in time, never in results, so about right is enough.
enum Cost {
    /// To reach the beginning of a range.
    static let seek = 0.8
    /// A row that a walk passes, filtered.
    static let row = 0.03
    /// An index entry that a walk passes.
    static let entry = 0.04
    /// A row by its key, of a batch.
    static let fetch = 0.3
    /// A row by its key, alone.
    static let point = 0.4
    /// A row that is sorted.
    static let sort = 0.4
    /// A row beside a full heap.
    static let heap = 0.06
    /// A row that is put into a hash.
    static let hash = 0.15
}

extension Condition {
    /// About which part of the rows meets the condition, without knowing them.
    var selectivity: Double {
        switch self {
        case .always: 1
        case .never: 0
        case .test(_, let test): test.selectivity
        case .columns(_, let comparison, _): comparison == .equal ? 0.1 : 0.3
        case .and(let parts): parts.reduce(1) { $0 * $1.selectivity }
        case .or(let parts): min(1, parts.reduce(0) { $0 + $1.selectivity })
        }
    }
}

extension ColumnTest {
    fileprivate var selectivity: Double {
        switch self {
        case .isNull: 0.1
        case .isNotNull, .isNotIn, .isNotLike: 0.9
        case .compare(let comparison, _): comparison == .equal ? 0.05 : comparison == .notEqual ? 0.95 : 0.25
        case .isIn(let values): min(1, 0.05 * Double(values.count))
        case .like: 0.1
        }
    }
}
