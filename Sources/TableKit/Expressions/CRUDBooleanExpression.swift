/// A condition for `where`.
public protocol CRUDBooleanExpression: Sendable {
    /// The condition as an expression.
    var crudExpression: CRUDExpression { get }
}

extension CRUDExpression: CRUDBooleanExpression {
    /// The expression itself.
    public var crudExpression: CRUDExpression { self }
}
