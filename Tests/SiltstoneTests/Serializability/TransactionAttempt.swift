@testable import Siltstone

/// One attempt at a transaction in the making: what it has read and written so far, and what it must see of that itself.
struct TransactionAttempt {
    private(set) var record: TransactionRecord
    /// What no transaction may do.
    private(set) var problems: [String] = []
    /// The latest own write of each key.
    private var own: [Int: TransactionRecord.Write] = [:]
    /// What was seen of keys before an own write.
    private var seen: [Int: Revision] = [:]

    /// A point to go back to.
    struct Mark {
        fileprivate var own: [Int: TransactionRecord.Write]
        fileprivate var intermediate: Int
    }

    /// - Parameter invoked: when it began, or before.
    init(invoked: Int, snapshot: UInt64?) {
        record = TransactionRecord(invoked: invoked, returned: .max, outcome: .aborted, snapshot: snapshot)
    }

    var hasWritten: Bool { !own.isEmpty }

    /// A key was read.
    mutating func observe(_ key: Int, _ revision: Revision, isPredicate: Bool) {
        if let write = own[key] {
            let expected = write.isDeletion ? .absent : write.revision
            if revision != expected { problems.append("read \(revision) of key \(key) after writing \(expected)") }
            return
        }
        if let before = seen[key], before != revision {
            problems.append("read \(revision) of key \(key), and \(before) before")
        }
        seen[key] = revision
        record.reads.append(.init(key: key, revision: revision, isPredicate: isPredicate))
    }

    mutating func observe(_ observations: [Observation]) {
        for observation in observations {
            if case .revision(let revision) = observation.seen {
                observe(observation.key, revision, isPredicate: true)
            }
        }
    }

    mutating func note(problems: [String]) { self.problems += problems }

    mutating func put(_ key: Int, _ revision: Revision) { write(.init(key: key, revision: revision)) }

    mutating func delete(_ key: Int, _ revision: Revision) {
        write(.init(key: key, revision: revision, isDeletion: true))
    }

    private mutating func write(_ write: TransactionRecord.Write) {
        if let old = own[write.key] { record.intermediate.append(old.revision) }
        own[write.key] = write
    }

    // MARK: Savepoints

    var mark: Mark { Mark(own: own, intermediate: record.intermediate.count) }

    /// The writes behind a mark are undone.
    mutating func rollBack(to mark: Mark) {
        let kept = Set(mark.own.values.map(\.revision))
        record.undone += own.values.map(\.revision).filter { !kept.contains($0) }
        record.undone += record.intermediate[mark.intermediate...].filter { !kept.contains($0) }
        record.intermediate.removeSubrange(mark.intermediate...)
        own = mark.own
    }

    // MARK: End

    /// The attempt ended at a time.
    /// - Parameter sequence: what a commit has returned; nil where it has not, or where nobody knows.
    mutating func end(_ outcome: TransactionRecord.Outcome, at time: Int, sequence: UInt64? = nil) {
        record.outcome = outcome
        record.returned = time
        record.writes = Array(own.values)
        record.sequence = own.isEmpty ? record.snapshot : sequence
    }
}
