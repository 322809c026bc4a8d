/// A link that `limit` can follow.
public protocol Limitable: TableProtocol {}

extension Limitable {
    /// Limits the rows of the table that was named last: the parents, or the joined rows of all parents together.
    ///
    /// Of two limits of one table the first counts.
    /// - Parameters:
    ///   - max: the most rows; 0 and less: all.
    ///   - skip: the rows that are passed over first.
    public func limit(_ max: Int = 0, skip: Int = 0) -> Limit<OverAllForm, Self> {
        Limit(fromTable: self, limit: .success(RowLimit(max: max, skip: skip)), isEach: false)
    }

    /// Limits the rows to those of these numbers, counted from 0. An empty range is an error of ``TableErrorCode/argument``
    /// when the chain runs, here and below.
    public func limit(_ range: Range<Int>) -> Limit<OverAllForm, Self> {
        limit(from: range.lowerBound, upTo: range.upperBound)
    }

    /// Limits the rows to those of these numbers.
    public func limit(_ range: ClosedRange<Int>) -> Limit<OverAllForm, Self> {
        limit(from: range.lowerBound, upTo: range.upperBound.addingReportingOverflow(1))
    }

    /// Passes over rows.
    public func limit(_ range: PartialRangeFrom<Int>) -> Limit<OverAllForm, Self> {
        limit(from: range.lowerBound, upTo: nil)
    }

    /// Limits the rows to those up to this number.
    public func limit(_ range: PartialRangeThrough<Int>) -> Limit<OverAllForm, Self> {
        limit(from: 0, upTo: range.upperBound.addingReportingOverflow(1))
    }

    /// Limits the rows to those below this number.
    public func limit(_ range: PartialRangeUpTo<Int>) -> Limit<OverAllForm, Self> {
        limit(from: 0, upTo: range.upperBound)
    }

    /// Limits the joined rows of each parent. Follows a join.
    /// - Parameters:
    ///   - each: the most rows of a parent; 0 and less: all.
    ///   - skip: the rows that are passed over first.
    public func limit(each: Int, skip: Int = 0) -> Limit<OverAllForm, Self> {
        Limit(fromTable: self, limit: .success(RowLimit(max: each, skip: skip)), isEach: true)
    }

    private func limit(from lower: Int, upTo end: (partialValue: Int, overflow: Bool)) -> Limit<OverAllForm, Self> {
        limit(from: lower, upTo: end.overflow ? nil : end.partialValue)
    }

    private func limit(from lower: Int, upTo upper: Int?) -> Limit<OverAllForm, Self> {
        let limit = Result { try RowLimit(from: lower, upTo: upper) }
        return Limit(fromTable: self, limit: limit, isEach: false)
    }
}

extension RowLimit {
    /// The limit of a count, of which 0 and less mean all.
    init(max: Int, skip: Int) { self.init(count: max > 0 ? max : nil, skip: Swift.max(skip, 0)) }

    /// The limit of a range.
    init(from lower: Int, upTo upper: Int?) throws {
        guard lower >= 0, upper.map({ $0 > lower }) ?? true else {
            throw CRUDSQLGenError("A limit takes a range that is not empty and begins at 0 or above.", code: .argument)
        }
        self.init(count: upper.map { $0 - lower }, skip: lower)
    }
}

/// A chain with a limit.
public struct Limit<OAF: Codable, A: TableProtocol>: TableProtocol, FromTableProtocol, Joinable, Selectable, Whereable,
    Orderable
{
    /// The type of the table that was named last.
    public typealias Form = A.Form
    /// The type of the link before.
    public typealias FromTableType = A
    /// The type that the chain yields.
    public typealias OverAllForm = OAF

    /// The link before.
    public let fromTable: A
    let limit: Result<RowLimit, any Error>
    let isEach: Bool

    /// The chain before, with the limit.
    public func describe() throws -> QueryDescription {
        var description = try fromTable.describe()
        if isEach { try description.limitEach(try limit.get()) } else { description.limit(try limit.get()) }
        return description
    }
}
