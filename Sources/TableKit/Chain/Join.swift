/// A chain with a joined table. An array property of the parent receives the joined rows.
public struct Join<OAF: Codable, A: TableProtocol, B: Codable, O: Equatable>: TableProtocol, FromTableProtocol,
    Joinable, Selectable, Whereable, Orderable, Limitable
{
    /// The type of the table that was named last.
    public typealias Form = B
    /// The type of the previous link.
    public typealias FromTableType = A
    /// The type of the columns that are compared.
    public typealias ComparisonType = O
    /// The type that the chain yields.
    public typealias OverAllForm = OAF

    /// The previous link.
    public let fromTable: A
    let step: JoinStep

    /// The description of the previous link with the join added.
    public func describe() throws -> QueryDescription {
        try describe { try $0.join(step) }
    }
}

// The same members as `Join`, with two more type parameters: a public link names its types itself.
/// A chain with a table joined through a pivot table.
public struct JoinPivot<
    OAF: Codable, A: TableProtocol, B: Codable, With: Codable, O: Equatable, O2: Equatable
>: TableProtocol, FromTableProtocol, Joinable, Selectable, Whereable, Orderable, Limitable {
    /// The type of the table that was named last.
    public typealias Form = B
    /// The type of the previous link.
    public typealias FromTableType = A
    /// The type of the pivot table.
    public typealias PivotTableType = With
    /// The type of the columns that are compared on the parent's side.
    public typealias ComparisonType = O
    /// The type of the columns that are compared on the joined side.
    public typealias ComparisonType2 = O2
    /// The type that the chain yields.
    public typealias OverAllForm = OAF

    /// The previous link.
    public let fromTable: A
    let step: JoinStep

    /// The description of the previous link with the join added.
    public func describe() throws -> QueryDescription {
        try describe { try $0.join(step) }
    }
}
