import Synchronization

/// The shared stores of this process, by path.
///
/// One lock protects all entries and is held only for moments. A thread that opens a store, or closes the last use of
/// one, blocks only threads that want the same path.
final class StoreRegistry: Sendable {
    static let shared = StoreRegistry()

    private enum Entry: Sendable {
        /// An open store, and its number of uses.
        case open(KeyValueStore, uses: Int)
        /// A thread is opening or closing the store.
        case busy
    }

    private let entries = Locked<[StorePlace: Entry]>([:], rank: .callers)

    /// Returns the store at a path, and counts one more use.
    /// - Parameter configuration: nil accepts the options of an open store, and otherwise means the defaults.
    func use(_ path: String, _ configuration: Configuration?) throws(StoreError) -> (KeyValueStore, StorePlace) {
        let wanted = configuration ?? Configuration()
        let place = StorePlace(StoreOpener.normalized(path, wanted.fileSystem), wanted.fileSystem)
        let turn = entries.wait { Self.join(&$0, place) }
        if case .use(let store) = turn {
            do throws(StoreError) { try store.engine.directory.checkInPlace() } catch {
                try end(store, place)
                throw error
            }
            if let configuration, let difference = configuration.difference(from: store.engine.directory.configuration)
            {
                // It may be the last use by now.
                try end(store, place)
                throw StoreError(
                    .invalidArgument,
                    "the store is open in this process with another \(difference); ask for the same, or for none in "
                        + "particular", file: place.path)
            }
            return (store, place)
        }
        if case .open(let closing?) = turn { closing.engine.status.waitForRelease() }
        do throws(StoreError) {
            let store = try KeyValueStore.open(at: path, configuration: wanted)
            change(place, to: .open(store, uses: 1))
            return (store, place)
        } catch {
            change(place, to: nil)
            throw error
        }
    }

    /// What a caller of ``use(_:_:)`` does next.
    private enum Turn {
        /// It uses this open store, which has one more use.
        case use(KeyValueStore)
        /// It opens the store, after the store that a user is closing directly has released its lock.
        case open(after: KeyValueStore?)
    }

    /// Adds a use if the store is open, or marks the place as busy if there is no open store.
    /// - Returns: nil if the caller must wait.
    private static func join(_ entries: inout [StorePlace: Entry], _ place: StorePlace) -> Turn? {
        switch entries[place] {
        case .busy: return nil
        case .open(let store, let uses) where !store.engine.status.isClosing:
            entries[place] = .open(store, uses: uses + 1)
            return .use(store)
        case .open(let store, _):
            entries[place] = .busy
            return .open(after: store)
        case nil:
            entries[place] = .busy
            return .open(after: nil)
        }
    }

    /// Ends a use. The last one closes the store, which may wait for the disk.
    func end(_ store: KeyValueStore, _ place: StorePlace) throws(StoreError) {
        if release(store, place) { return }
        defer { change(place, to: nil) }
        try store.close()
    }

    /// Counts one use less.
    /// - Returns: false if it was the last use; then the place is marked as busy, and the caller must close the store.
    private func release(_ store: KeyValueStore, _ place: StorePlace) -> Bool {
        entries.withLock { entries in
            // If a user closed this store directly, another one may have replaced it.
            guard case .open(let opened, let uses) = entries[place], opened === store else { return true }
            entries[place] = uses > 1 ? .open(store, uses: uses - 1) : .busy
            return uses > 1
        }
    }

    /// Sets the entry of a place, and wakes the threads that wait for it.
    private func change(_ place: StorePlace, to entry: Entry?) {
        entries.withLock { $0[place] = entry }
        entries.wakeAll()
    }
}

extension Configuration {
    /// The name of the first option that differs from another configuration; nil if all are the same. Ignores
    /// ``createIfMissing``, and ``fileSystem``, which is part of the ``StorePlace``.
    func difference(from other: Configuration) -> String? {
        let isSame: [(String, Bool)] = [
            ("durability", durability == other.durability),
            ("readOnly", readOnly == other.readOnly), ("memTableBytes", memTableBytes == other.memTableBytes),
            ("sealedMemTableLimit", sealedMemTableLimit == other.sealedMemTableLimit),
            ("segmentBytes", segmentBytes == other.segmentBytes), ("blockBytes", blockBytes == other.blockBytes),
            ("largeValueBytes", largeValueBytes == other.largeValueBytes),
            ("valueFileBytes", valueFileBytes == other.valueFileBytes), ("cacheBytes", cacheBytes == other.cacheBytes),
            ("changeFeedBytes", changeFeedBytes == other.changeFeedBytes),
            ("compression", compression == other.compression), ("access", access == other.access),
            ("logWriting", logWriting == other.logWriting),
            ("automaticCompaction", automaticCompaction == other.automaticCompaction),
            ("tidiesWhenIdle", tidiesWhenIdle == other.tidiesWhenIdle),
            ("transactionMemoryBytes", transactionMemoryBytes == other.transactionMemoryBytes),
        ]
        return isSame.first { !$0.1 }?.0
    }
}
