import Siltstone
import TableKit

/// Caches the newest catalogue, so that most sessions need not read it.
final class CatalogueCache: Sendable {
    private struct State {
        var catalogue: Catalogue
        /// The first sequence number at which the catalogue is valid.
        var since: UInt64
        /// True while a schema change commits: current snapshots may have the old or the new catalogue.
        var isChanging = false
    }

    private let state: Locked<State>
    private let lastVersion: Locked<UInt64>
    private let lastTable = Locked<UInt64>(0)

    init(_ catalogue: Catalogue, since: UInt64) {
        state = Locked(State(catalogue: catalogue, since: since))
        lastVersion = Locked(catalogue.version)
    }

    /// A catalogue version unique in this process. Versions of rolled-back catalogues are not reused.
    var nextVersion: UInt64 {
        lastVersion.withLock { last in
            last += 1
            return last
        }
    }

    /// Takes a table number unique in this process.
    ///
    /// Other transactions that are open, or were rolled back, may have created tables: caches by table number must not
    /// take one table for another.
    /// - Parameter least: the least number, which the transaction's catalogue says.
    func takeTable(notBelow least: UInt64) -> UInt64 {
        lastTable.withLock { last in
            last = max(last + 1, least)
            return last
        }
    }

    /// The newest committed catalogue.
    var newest: Catalogue { state.withLock { $0.catalogue } }

    /// Returns the catalogue of a snapshot or transaction; nil if it must be read.
    /// - Parameter sequence: its sequence number.
    func known(at sequence: UInt64) -> Catalogue? {
        state.withLock { !$0.isChanging && sequence >= $0.since ? $0.catalogue : nil }
    }

    /// Returns the catalogue of a snapshot or transaction.
    /// - Parameter sequence: its sequence number.
    func catalogue(at sequence: UInt64, in reader: some KeyValueReader) throws -> Catalogue {
        try known(at: sequence) ?? Catalogue.load(from: reader, known: newest)
    }

    /// Announces the commit of a schema change. ``publish(_:since:)`` or ``fail()`` must follow.
    func begin() { state.withLock { $0.isChanging = true } }

    func publish(_ catalogue: Catalogue, since sequence: UInt64) {
        state.withLock { $0 = State(catalogue: catalogue, since: sequence) }
    }

    /// Reports a failed commit. It may have been applied, so all sessions read the catalogue from now on.
    func fail() {
        state.withLock { state in
            state.isChanging = false
            state.since = .max
        }
    }
}
