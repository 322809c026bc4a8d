import CRUDKit
import Foundation
import Siltstone

/// A store, and what the repositories on it share.
///
/// Opened by path, it is closed with the last repository that refers to it; handed in, it is its owner's to close.
final class SharedStore: Sendable {
    let store: KeyValueStore
    let gate: BatchGate
    /// The key in ``Registry/byPath``; nil where the store is not ours to close.
    private let path: String?

    private init(store: KeyValueStore, gate: BatchGate, path: String?) {
        self.store = store
        self.gate = gate
        self.path = path
    }

    deinit {
        if let path { Self.registry.withLock { $0.release(path) } }
    }

    private static let registry = Locked(Registry())

    /// The store at a path: the one that this process has open there, or else opened now.
    ///
    /// Opening waits for the disk, and others that open or close a store by path wait for it: two that open the same
    /// path at once must get the same store, and the engine lets only one in.
    static func at(_ path: String) throws -> SharedStore {
        try registry.withLock { registry in
            let (opened, key) = try registry.open(path)
            return SharedStore(store: opened.store, gate: opened.gate, path: key)
        }
    }

    /// A store that somebody else opened.
    static func of(_ store: KeyValueStore) -> SharedStore {
        SharedStore(store: store, gate: registry.withLock { $0.gate(of: store) }, path: nil)
    }
}

extension SharedStore {
    /// The stores of this process.
    private struct Registry {
        struct Opened {
            let store: KeyValueStore
            let gate: BatchGate
            /// Counted by hand: a weak reference is nil before the store is closed, and whoever opened it in between
            /// would find it locked.
            var uses: Int
        }

        private var byPath: [String: Opened] = [:]
        private var gates: [WeakGate] = []

        mutating func open(_ path: String) throws -> (Opened, key: String) {
            if let key = Self.canonical(path), byPath[key] != nil {
                byPath[key]?.uses += 1
                if let opened = byPath[key] { return (opened, key) }
            }
            let store = try KeyValueStore.open(at: path)
            let opened = Opened(store: store, gate: gate(of: store), uses: 1)
            // The directory exists now, and so has a canonical path.
            let key = Self.canonical(path) ?? path
            byPath[key] = opened
            return (opened, key)
        }

        mutating func release(_ key: String) {
            guard var opened = byPath[key] else { return }
            opened.uses -= 1
            byPath[key] = opened.uses > 0 ? opened : nil
            guard opened.uses == 0 else { return }
            do {
                try opened.store.close()
            } catch {
                // Nobody is left to be told. What was acknowledged is as durable as was promised when it was.
            }
        }

        /// The gate of a store, the same for all repositories on it.
        mutating func gate(of store: KeyValueStore) -> BatchGate {
            gates.removeAll { $0.store == nil || $0.gate == nil }
            if let gate = gates.first(where: { $0.store === store })?.gate { return gate }
            let gate = BatchGate()
            gates.append(WeakGate(store: store, gate: gate))
            return gate
        }

        /// The one path of a directory, without links; nil where it does not exist.
        private static func canonical(_ path: String) -> String? {
            guard let resolved = unsafe realpath(path, nil) else { return nil }
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
    }

    private struct WeakGate {
        weak var store: KeyValueStore?
        weak var gate: BatchGate?
    }
}
