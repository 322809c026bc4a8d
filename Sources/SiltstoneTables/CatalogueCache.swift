import Siltstone
import TableKit

/// The newest catalogue, so that most sessions need not read it.
final class CatalogueCache: Sendable {
    private struct State {
        var catalogue: Catalogue
        /// The catalogue holds for states from this number on.
        var since: UInt64
        /// Whether a change of the schema is being committed: states of now may have the catalogue or the next one.
        var isChanging = false
    }

    private let state: Locked<State>
    private let lastVersion: Locked<UInt64>

    init(_ catalogue: Catalogue, since: UInt64) {
        state = Locked(State(catalogue: catalogue, since: since))
        lastVersion = Locked(catalogue.version)
    }

    /// A version that no other catalogue of this process has, committed or not: one that was rolled back is never taken for
    /// another of its number.
    var nextVersion: UInt64 {
        lastVersion.withLock { last in
            last += 1
            return last
        }
    }

    /// The newest catalogue that was committed.
    var newest: Catalogue { state.withLock { $0.catalogue } }

    /// The catalogue of a reader's state.
    /// - Parameter sequence: the number of the state.
    func catalogue(at sequence: UInt64, in reader: some KeyValueReader) throws -> Catalogue {
        let (known, isRight) = state.withLock { ($0.catalogue, !$0.isChanging && sequence >= $0.since) }
        return isRight ? known : try Catalogue.load(from: reader, known: known)
    }

    /// A change of the schema is about to be committed: ``publish(_:since:)`` or ``fail()`` follows.
    func begin() { state.withLock { $0.isChanging = true } }

    func publish(_ catalogue: Catalogue, since sequence: UInt64) {
        state.withLock { $0 = State(catalogue: catalogue, since: sequence) }
    }

    /// The commit has failed. It may have been applied, so all sessions read the catalogue from now on.
    func fail() {
        state.withLock { state in
            state.isChanging = false
            state.since = .max
        }
    }
}
