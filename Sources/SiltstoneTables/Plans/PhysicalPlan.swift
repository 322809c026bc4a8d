import TableKit

/// A query's physical plan: the access path and the sort of parents, and the look-up of each join.
struct PhysicalPlan {
    /// The source of the parents.
    enum Parents {
        /// A path of the parents' table.
        case path(AccessPath)
        /// Reads the matching rows of a join first. Then looks parents up by the values of these rows, along an order
        /// of the parents' table that begins with the join's column.
        case join(Int, KeyOrder)
    }

    /// The method that brings parents into the requested order.
    enum Ordering: Equatable {
        /// None: the path provides the order.
        case none
        /// The path provides the order of the first terms. The rest is sorted within groups.
        case groups(Int)
        /// A heap keeps this many first rows.
        case top(Int)
        case sort
    }

    /// The look-up of a join's rows for a batch of parents.
    enum Lookup {
        /// Along an order of the joined table that begins with the join's column.
        case order(KeyOrder)
        /// By a hash table of all rows, read once.
        case hash
    }

    var parents: Parents
    var ordering: Ordering
    var isReverse = false
    /// For each join, the look-up of its rows, and of its pivot's rows before that.
    var lookups: [(child: Lookup, pivot: Lookup?)]
    var rows = 0.0
    var cost = 0.0
}
