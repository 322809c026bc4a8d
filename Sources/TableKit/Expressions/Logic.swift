/// Both conditions are true.
public func && (lhs: any CRUDBooleanExpression, rhs: any CRUDBooleanExpression) -> Condition {
    Condition(.and(lhs: lhs.crudExpression, rhs: rhs.crudExpression))
}

/// At least one condition is true.
public func || (lhs: any CRUDBooleanExpression, rhs: any CRUDBooleanExpression) -> Condition {
    Condition(.or(lhs: lhs.crudExpression, rhs: rhs.crudExpression))
}

/// The negation. The negation of unknown is unknown.
public prefix func ! (rhs: any CRUDBooleanExpression) -> Condition {
    Condition(.not(rhs: rhs.crudExpression))
}
