/// A link that `where` can follow.
public protocol Whereable: TableProtocol {}

extension Whereable {
    /// Keeps the rows for which a condition is true. Key paths may root in any type of the chain.
    public func `where`(_ expr: any CRUDBooleanExpression) -> Where<OverAllForm, Self> {
        Where(fromTable: self, expression: expr.crudExpression)
    }
}

/// A chain with a condition.
public struct Where<OAF: Codable, A: TableProtocol>: TableProtocol, FromTableProtocol, Selectable {
    /// The type of the table that was named last.
    public typealias Form = OAF
    /// The type of the previous link.
    public typealias FromTableType = A
    /// The type that the chain yields.
    public typealias OverAllForm = OAF

    /// The previous link.
    public let fromTable: A
    let expression: CRUDExpression

    /// The description of the previous link with the condition added. Evaluates lazy expressions.
    public func describe() throws -> QueryDescription {
        try describe { try $0.filter(expression) }
    }
}

extension Where: Updatable, Deleteable where OAF == A.Form {}
