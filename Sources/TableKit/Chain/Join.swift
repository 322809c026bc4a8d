/// A chain with another table joined, whose rows an array property takes.
public struct Join<OAF: Codable, A: TableProtocol, B: Codable, O: Equatable>: TableProtocol, FromTableProtocol,
    Joinable, Selectable, Whereable, Orderable, Limitable
{
    /// The type of the table that was named last.
    public typealias Form = B
    /// The type of the link before.
    public typealias FromTableType = A
    /// The type of the columns that are compared.
    public typealias ComparisonType = O
    /// The type that the chain yields.
    public typealias OverAllForm = OAF

    /// The link before.
    public let fromTable: A
    let step: JoinStep

    /// The chain before, with the join.
    public func describe() throws -> QueryDescription {
        var description = try fromTable.describe()
        try description.join(step)
        return description
    }
}

/// A chain with another table joined by a table between the two.
public struct JoinPivot<
    OAF: Codable, A: TableProtocol, B: Codable, With: Codable, O: Equatable, O2: Equatable
>: TableProtocol, FromTableProtocol, Joinable, Selectable, Whereable, Orderable, Limitable {
    /// The type of the table that was named last.
    public typealias Form = B
    /// The type of the link before.
    public typealias FromTableType = A
    /// The type of the table between.
    public typealias PivotTableType = With
    /// The type of the columns that are compared on the parent's side.
    public typealias ComparisonType = O
    /// The type of the columns that are compared on the joined side.
    public typealias ComparisonType2 = O2
    /// The type that the chain yields.
    public typealias OverAllForm = OAF

    /// The link before.
    public let fromTable: A
    let step: JoinStep

    /// The chain before, with the join.
    public func describe() throws -> QueryDescription {
        var description = try fromTable.describe()
        try description.join(step)
        return description
    }
}
