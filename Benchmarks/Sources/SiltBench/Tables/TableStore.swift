import Foundation

/// The operations of a program with typed tables, each as a program of its kind would write it.
///
/// A store is used by one thread at a time, but for ``insertShared(_:)``. Where results are read, they are read into the
/// program's own structures and counted.
protocol TableStore: AnyObject, Sendable {
    /// Version and options, for the reports.
    static var description: (version: String, options: String) { get }

    /// Opens the database of a directory, or makes it, with the tables of ``Player``, ``Team`` and ``Member``.
    /// - Parameter isSynced: whether a commit waits for the disk.
    init(directory: String, isSynced: Bool) throws

    /// Adds an index to a table that may have rows.
    func index(_ index: TableIndex) throws
    /// Closes the database.
    func close() throws

    /// Inserts all in one transaction.
    func insert(_ players: [Player]) throws
    func insert(_ teams: [Team], _ members: [Member]) throws
    /// Inserts one in a transaction of its own. From any task.
    func insertShared(_ player: Player) async throws

    /// The row of a key, by a query.
    func select(id: Int) throws -> Player?
    /// The row of a key, by the shortest way that there is.
    func find(id: Int) throws -> Player?
    /// The rows of a range of the index.
    func select(created: Range<Date>, _ tally: inout Tally) throws
    func count(created: Range<Date>) throws -> Int
    /// The rows below a score, which no index has.
    func select(below score: Double, _ tally: inout Tally) throws
    /// All rows, in any order.
    func selectAll(_ tally: inout Tally) throws
    /// All rows, by the fastest way into a structure; false where there is no other way.
    func selectAllFast(_ tally: inout Tally) throws -> Bool
    /// The rows of the lowest scores, which no index has, in order.
    func selectLowest(_ limit: Int, _ tally: inout Tally) throws
    /// The first rows from a moment on, which an index has, in order.
    func select(from created: Date, limit: Int, _ tally: inout Tally) throws
    /// Parents in order, each with its children; all parents where the range is nil.
    /// - Parameter isIndexed: whether the index of the children's parents is there.
    /// - Returns: false where that is not done in this way, as it would take minutes.
    func selectTeams(_ ids: Range<Int>?, isIndexed: Bool, _ tally: inout Tally) throws -> Bool

    /// Sets ``Player/score`` and ``Player/created`` of the row with the key.
    func update(_ player: Player) throws
    func delete(created: Range<Date>) throws
    /// Reads two rows and writes their scores, in one transaction.
    func transfer(_ points: Double, from: Int, to: Int) throws
}

/// An index that a table is given.
enum TableIndex: Sendable {
    case playerCreated, playerGroup, memberTeam
}
