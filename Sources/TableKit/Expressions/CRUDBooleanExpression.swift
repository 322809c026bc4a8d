/// A condition for `where`.
public protocol CRUDBooleanExpression: Sendable {
    /// The condition as an expression.
    var crudExpression: CRUDExpression { get }
}

/// A condition made by an operator.
public struct Condition: CRUDBooleanExpression {
    /// The condition as an expression.
    public let crudExpression: CRUDExpression

    /// A condition of an expression with the values true, false and unknown.
    public init(_ expression: CRUDExpression) { crudExpression = expression }
}

extension CRUDExpression: CRUDBooleanExpression {
    /// The expression itself.
    public var crudExpression: CRUDExpression { self }
}
