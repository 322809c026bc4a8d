import Siltstone
import Synchronization

/// The numbers of rows of tables that were counted as a whole, kept up to date by each commit: another count need not
/// read the entries again.
///
/// A count is exact for one snapshot. A snapshot that is older than what is known here, or taken while a commit goes on,
/// is counted by a scan. Tables that nobody counts cost a commit one relaxed load.
final class RowCounts: Sendable {
    private struct Change: Sendable {
        var sequence: UInt64
        var rows: Int
    }

    private struct Counted: Sendable {
        /// The number of rows in the snapshot with this sequence number; nil before the first count has ended.
        var base: Change?
        /// The commits that came later, in order.
        var changes: [Change] = []
        /// True while a commit goes on: current snapshots may or may not have it.
        var isChanging = false

        /// The number of rows in a snapshot; nil if it is unknown.
        func count(at sequence: UInt64) -> Int? {
            guard let base, base.sequence <= sequence, !isChanging else { return nil }
            return changes.reduce(base.rows) { $1.sequence <= sequence ? $0 + $1.rows : $0 }
        }

        mutating func append(_ change: Change) {
            changes.append(change)
            guard changes.count > RowCounts.mostChanges, let last = base else { return }
            // Snapshots of the time before the newer half are rare.
            let old = changes.prefix(RowCounts.mostChanges / 2)
            base = Change(sequence: old.last?.sequence ?? 0, rows: old.reduce(last.rows) { $0 + $1.rows })
            changes.removeFirst(old.count)
        }
    }

    private static let mostChanges = 64

    private let isUsed = Atomic<Bool>(false)
    private let tables = Locked<[UInt64: Counted]>([:])

    /// The number of rows of a table in a snapshot; nil if it is unknown.
    func count(_ table: UInt64, at sequence: UInt64) -> Int? {
        guard isUsed.load(ordering: .relaxed) else { return nil }
        return tables.withLock { $0[table]?.count(at: sequence) }
    }

    /// Keeps a count for later ones.
    /// - Parameters:
    ///   - rows: the number of rows of the table in the snapshot with the sequence number `sequence`.
    ///   - isNewest: whether no commit goes on, and the newest snapshot has the same sequence number. Called when commits
    ///     that begin later are recorded.
    func keep(_ rows: Int, of table: UInt64, at sequence: UInt64, isNewest: () -> Bool) {
        let isNew = tables.withLock { tables in
            guard tables[table] == nil else { return false }
            tables[table] = Counted()
            return true
        }
        guard isNew else { return }
        isUsed.store(true, ordering: .sequentiallyConsistent)
        let isRight = isNewest()
        tables.withLock { tables in
            guard isRight else {
                tables[table] = nil
                return
            }
            // A commit that was visible to the count may have ended only after the table became a counted one.
            tables[table]?.changes.removeAll { $0.sequence <= sequence }
            tables[table]?.base = Change(sequence: sequence, rows: rows)
        }
    }

    // MARK: Commits, one at a time

    /// Announces a commit. ``end(_:at:)`` must follow.
    /// - Parameter changes: the rows that the commit adds to each table; negative: removes.
    /// - Returns: whether the commit changes a counted table.
    func begin(_ changes: [UInt64: Int]) -> Bool {
        guard !changes.isEmpty, isUsed.load(ordering: .relaxed) else { return false }
        return tables.withLock { tables in
            var isCounted = false
            for table in changes.keys where tables[table] != nil {
                tables[table]?.isChanging = true
                isCounted = true
            }
            return isCounted
        }
    }

    /// Reports the end of a commit.
    /// - Parameter sequence: its sequence number; nil if it failed. It may have been applied all the same, so its tables
    ///   must be counted again.
    func end(_ changes: [UInt64: Int], at sequence: UInt64?) {
        tables.withLock { tables in
            for (table, rows) in changes {
                guard let sequence else {
                    tables[table] = nil
                    continue
                }
                tables[table]?.isChanging = false
                tables[table]?.append(Change(sequence: sequence, rows: rows))
            }
        }
    }
}
