import TableKit

/// How a query runs: how parents are reached and ordered, and how each join finds its rows.
struct PhysicalPlan {
    /// Where parents come from.
    enum Parents {
        /// A path of the parents' table.
        case path(AccessPath)
        /// The rows of a join that meet its condition are read first; parents are then looked for by these rows' values,
        /// along an order of the parents' table that begins with the join's column.
        case join(Int, KeyOrder)
    }

    /// How parents get into the order that is asked for.
    enum Ordering: Equatable {
        /// They come in it.
        case none
        /// They come in the order of the first terms; the rest is sorted group by group.
        case groups(Int)
        /// The first so many are kept.
        case top(Int)
        case sort
    }

    /// How a join finds the rows for a batch of parents.
    enum Lookup {
        /// Along an order of the joined table that begins with the column that is looked for.
        case order(KeyOrder)
        /// All rows are read once, and hashed.
        case hash
    }

    var parents: Parents
    var ordering: Ordering
    var isReverse = false
    /// For each join, how it finds rows, and before that those of its pivot.
    var lookups: [(child: Lookup, pivot: Lookup?)]
    var rows = 0.0
    var cost = 0.0
}
