/// A link that `limit` can follow.
public protocol Limitable: TableProtocol {}

extension Limitable {
    /// Limits the rows of the table that was named last: the parents, or the joined rows of all parents together.
    ///
    /// The first limit of a table wins over later ones.
    /// - Parameters:
    ///   - max: the maximum number of rows. 0 or less means all.
    ///   - skip: the number of rows to skip first.
    public func limit(_ max: Int = 0, skip: Int = 0) -> Limit<OverAllForm, Self> {
        Limit(fromTable: self, limit: .success(RowLimit(max: max, skip: skip)), isEach: false)
    }

    /// Limits the rows to these positions, counted from 0. An empty range or a negative bound makes the chain throw
    /// ``TableErrorCode/argument`` when it runs, in this form and in those below.
    public func limit(_ range: Range<Int>) -> Limit<OverAllForm, Self> {
        limit(from: range.lowerBound, upTo: range.upperBound)
    }

    /// Limits the rows to these positions.
    public func limit(_ range: ClosedRange<Int>) -> Limit<OverAllForm, Self> {
        limit(from: range.lowerBound, upTo: range.upperBound.addingReportingOverflow(1))
    }

    /// Skips the rows before this position.
    public func limit(_ range: PartialRangeFrom<Int>) -> Limit<OverAllForm, Self> {
        limit(from: range.lowerBound, upTo: nil)
    }

    /// Limits the rows to the positions up to and including this one.
    public func limit(_ range: PartialRangeThrough<Int>) -> Limit<OverAllForm, Self> {
        limit(from: 0, upTo: range.upperBound.addingReportingOverflow(1))
    }

    /// Limits the rows to the positions below this one.
    public func limit(_ range: PartialRangeUpTo<Int>) -> Limit<OverAllForm, Self> {
        limit(from: 0, upTo: range.upperBound)
    }

    /// Limits the joined rows of each parent. Must follow a join.
    /// - Parameters:
    ///   - each: the maximum number of rows of one parent. 0 or less means all.
    ///   - skip: the number of rows of each parent to skip first.
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
    /// A limit by count. A `max` of 0 or less means all.
    init(max: Int, skip: Int) { self.init(count: max > 0 ? max : nil, skip: Swift.max(skip, 0)) }

    /// A limit to the positions from `lower` up to, not including, `upper`.
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
    /// The type of the previous link.
    public typealias FromTableType = A
    /// The type that the chain yields.
    public typealias OverAllForm = OAF

    /// The previous link.
    public let fromTable: A
    let limit: Result<RowLimit, any Error>
    let isEach: Bool

    /// The description of the previous link with the limit added.
    public func describe() throws -> QueryDescription {
        try describe { if isEach { try $0.limitEach(try limit.get()) } else { $0.limit(try limit.get()) } }
    }
}
