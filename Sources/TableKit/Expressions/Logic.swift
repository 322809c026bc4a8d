/// Both conditions are true.
public func && (lhs: any CRUDBooleanExpression, rhs: any CRUDBooleanExpression) -> Condition {
    Condition(lhs, .and, rhs)
}

/// At least one condition is true.
public func || (lhs: any CRUDBooleanExpression, rhs: any CRUDBooleanExpression) -> Condition {
    Condition(lhs, .or, rhs)
}

/// The negation. The negation of unknown is unknown.
public prefix func ! (rhs: any CRUDBooleanExpression) -> Condition {
    Condition(.not(rhs: rhs.crudExpression))
}
