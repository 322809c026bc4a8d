/// A condition made by an operator.
///
/// A loop may join thousands of conditions with `&&` or `||`. One expression around the next would be as deep as there
/// are conditions, and functions that recurse over it, such as its destruction, would overflow the stack. So a condition
/// keeps its operands as runs, which grow as in a binary counter. One more operand of a chain of n takes O(log n), and the
/// expression is O(log n) deep.
public struct Condition: CRUDBooleanExpression {
    /// The operators that join conditions.
    enum Joint { case and, or }

    /// Operands that are joined already.
    private struct Run {
        var expression: CRUDExpression
        var operands: Int
    }

    private var first: Run
    /// The runs after the first; empty up to ``Condition/straight`` operands.
    private var others: [Run] = []
    /// The operator between the runs; nil if the condition is no joined one.
    private var joint: Joint?
    /// The most operands of a run that is nested as the operators in the source code are: to the left.
    private static let straight = 64

    /// A condition of an expression with the values true, false and unknown.
    public init(_ expression: CRUDExpression) { first = Run(expression: expression, operands: 1) }

    /// The condition that joins two others.
    init(_ lhs: any CRUDBooleanExpression, _ joint: Joint, _ rhs: any CRUDBooleanExpression) {
        self = Self.operands(lhs, of: joint)
        self.joint = joint
        let right = Self.operands(rhs, of: joint)
        append(right.first, joint)
        for run in right.others { append(run, joint) }
    }

    /// The condition as an expression.
    public var crudExpression: CRUDExpression {
        guard let joint, !others.isEmpty else { return first.expression }
        var runs = [first] + others
        while runs.count > 1 {
            runs = stride(from: 0, to: runs.count, by: 2).map { place in
                place + 1 < runs.count ? Self.joined(runs[place], joint, runs[place + 1]) : runs[place]
            }
        }
        return runs[0].expression
    }

    /// A condition that may be joined to others by `joint` without parentheses.
    private static func operands(_ condition: any CRUDBooleanExpression, of joint: Joint) -> Condition {
        if let condition = condition as? Condition, condition.joint == joint { return condition }
        return Condition(condition.crudExpression)
    }

    private mutating func append(_ run: Run, _ joint: Joint) {
        var run = run
        while let last = others.isEmpty ? first : others.last,
            last.operands + run.operands <= Self.straight || last.operands == run.operands
        {
            run = Self.joined(last, joint, run)
            if others.isEmpty { return first = run }
            others.removeLast()
        }
        others.append(run)
    }

    private static func joined(_ left: Run, _ joint: Joint, _ right: Run) -> Run {
        let expression: CRUDExpression =
            switch joint {
            case .and: .and(lhs: left.expression, rhs: right.expression)
            case .or: .or(lhs: left.expression, rhs: right.expression)
            }
        return Run(expression: expression, operands: left.operands + right.operands)
    }
}
