/// Is one of.
infix operator ~ : ComparisonPrecedence
/// Is none of.
infix operator !~ : ComparisonPrecedence
/// Contains.
infix operator %=% : ComparisonPrecedence
/// Begins with.
infix operator =% : ComparisonPrecedence
// `%=`, ends with, is an operator of the standard library, with the precedence of an assignment.
/// Does not contain.
infix operator %!=% : ComparisonPrecedence
/// Does not begin with.
infix operator !=% : ComparisonPrecedence
/// Does not end with.
infix operator %!= : ComparisonPrecedence
