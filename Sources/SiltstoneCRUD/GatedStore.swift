import CRUDKit
import Siltstone

/// A store, and the gate that the repositories on it share.
///
/// Opened by path, it is closed with the last repository that refers to it; handed in, it is its owner's to close.
final class GatedStore: Sendable {
    let store: KeyValueStore
    let gate: BatchGate
    /// Keeps the store open; nil where it is not ours to close.
    private let use: SharedStore?

    /// The store at a path: the one that this process has open there, or else opened now.
    convenience init(at path: String) throws {
        let use = try SharedStore.open(at: path)
        self.init(use.store, use)
    }

    /// A store that somebody else opened.
    convenience init(of store: KeyValueStore) { self.init(store, nil) }

    private init(_ store: KeyValueStore, _ use: SharedStore?) {
        self.store = store
        self.use = use
        gate = Self.gates.withLock { $0.gate(of: store) }
    }

    private static let gates = Locked(Gates())

    /// The gates of the stores of this process.
    private struct Gates {
        private var known: [WeakGate] = []

        /// The gate of a store, the same for all repositories on it.
        mutating func gate(of store: KeyValueStore) -> BatchGate {
            known.removeAll { $0.store == nil || $0.gate == nil }
            if let gate = known.first(where: { $0.store === store })?.gate { return gate }
            let gate = BatchGate()
            known.append(WeakGate(store: store, gate: gate))
            return gate
        }
    }

    private struct WeakGate {
        weak var store: KeyValueStore?
        weak var gate: BatchGate?
    }
}
