/// Both are true.
public func && (lhs: any CRUDBooleanExpression, rhs: any CRUDBooleanExpression) -> Condition {
    Condition(.and(lhs: lhs.crudExpression, rhs: rhs.crudExpression))
}

/// One is true, or both.
public func || (lhs: any CRUDBooleanExpression, rhs: any CRUDBooleanExpression) -> Condition {
    Condition(.or(lhs: lhs.crudExpression, rhs: rhs.crudExpression))
}

/// The negation: unknown for what is unknown.
public prefix func ! (rhs: any CRUDBooleanExpression) -> Condition {
    Condition(.not(rhs: rhs.crudExpression))
}
