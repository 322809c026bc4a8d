@testable import Siltstone

/// What a history tells of one transaction, or of one attempt at one.
struct TransactionRecord: Sendable {
    enum Outcome: Sendable { case committed, aborted }

    /// What a transaction saw of a key that it had not written itself.
    struct Read: Sendable {
        var key: Int
        /// The revision; ``Revision/absent`` for the state before the history. A deletion is a revision, too.
        var revision: Revision
        /// Whether a scan over a range saw it, and not a look at the key.
        var isPredicate = false
    }

    /// The last write of a key. Each has a revision of its own, also a deletion.
    struct Write: Sendable {
        var key: Int
        var revision: Revision
        var isDeletion = false
        /// The place in the order of versions, where it is not that of the commit.
        var sequence: UInt64?
    }

    /// When it began, at the latest, by the history's clock.
    var invoked: Int
    /// When its end was reported.
    var returned: Int
    var outcome = Outcome.committed
    /// The number of the newest change that it should see; nil where that is not known.
    var snapshot: UInt64?
    /// The number of its last change, which gives the order of versions; nil where it has changed nothing.
    var sequence: UInt64?
    var reads: [Read] = []
    var writes: [Write] = []
    /// Revisions that it has overwritten itself.
    var intermediate: [Revision] = []
    /// Revisions that a savepoint has undone.
    var undone: [Revision] = []
}

/// The keys of a history with all their versions, in the order in which they were committed.
struct VersionOrder {
    struct Version {
        /// The index of the transaction; nil for the state before the history.
        var writer: Int?
        var sequence: UInt64
        var revision: Revision
        var isAbsent: Bool
    }

    /// A moment in the life of a transaction.
    enum Moment { case begin, commit }

    private var versions: [Int: [Version]] = [:]

    init(_ records: [TransactionRecord]) {
        for (index, record) in records.enumerated() where record.outcome == .committed {
            for write in record.writes {
                versions[write.key, default: [Self.initial]].append(
                    Version(
                        writer: index, sequence: write.sequence ?? record.sequence ?? 0, revision: write.revision,
                        isAbsent: write.isDeletion))
            }
        }
        // Stable, so that the state before the history stays first.
        for key in versions.keys { versions[key]?.sort { $0.sequence < $1.sequence } }
    }

    private static let initial = Version(writer: nil, sequence: 0, revision: .absent, isAbsent: true)

    var keys: Dictionary<Int, [Version]>.Keys { versions.keys }

    subscript(key: Int) -> [Version] { versions[key] ?? [Self.initial] }

    /// The version of a key that is the newest up to a number.
    func newest(_ key: Int, upTo sequence: UInt64) -> Version {
        self[key].last { $0.sequence <= sequence } ?? Self.initial
    }

    /// The records with each sight of an absent key traced to the deletion that it saw.
    ///
    /// A value tells its revision; an absent key does not. It may be any deletion, or the state before the history, and one
    /// that explains the sight is enough.
    /// - Parameter moment: where a deletion is looked for first. A serializable transaction takes effect at its commit; the
    ///   reads of others are of their snapshot.
    func tracingAbsence(in records: [TransactionRecord], at moment: Moment) -> [TransactionRecord] {
        records.map { record in
            var traced = record
            for index in traced.reads.indices where traced.reads[index].revision == .absent {
                let key = traced.reads[index].key
                let atCommit = record.sequence.map { newest(key, upTo: $0 - UInt64(record.writes.isEmpty ? 0 : 1)) }
                let atBegin = record.snapshot.map { newest(key, upTo: $0) }
                let versions = moment == .commit ? [atCommit, atBegin] : [atBegin, atCommit]
                let version = versions.compactMap { $0 }.first(where: \.isAbsent)
                traced.reads[index].revision = version?.revision ?? .absent
            }
            return traced
        }
    }
}
