import TableKit

extension JoinClause {
    /// The pairs of columns that are equal in joined rows: of the parent and the joined table, or with a pivot of the
    /// parent and the pivot, then of the pivot and the joined table.
    var equalities: [(left: ColumnReference, right: ColumnReference)] {
        let first = (
            left: ColumnReference(source: parent, column: on),
            right: ColumnReference(source: pivot?.source ?? source, column: equals)
        )
        guard let pivot else { return [first] }
        let second = (
            left: ColumnReference(source: pivot.source, column: pivot.column),
            right: ColumnReference(source: source, column: pivot.equals)
        )
        return [first, second]
    }
}
