import Synchronization

/// The stores of this process that are shared by path.
///
/// A lock for all of them is held for moments; who opens a store, or closes the last use of one, makes those wait who want
/// the same path, and nobody else.
final class StoreRegistry: Sendable {
    static let shared = StoreRegistry()

    /// A directory, whatever it is called.
    struct Place: Hashable, Sendable {
        /// Absolute and without links, in the operating system's files.
        let path: String
        /// Which file system it is in, where that is not the operating system's.
        let fileSystem: ObjectIdentifier?

        init(_ path: String, _ fileSystem: any FileSystem) {
            let path = StoreOpener.normalized(path, fileSystem)
            if fileSystem is POSIXFileSystem {
                self.path = Self.withoutLinks(path)
                self.fileSystem = nil
            } else {
                self.path = path
                self.fileSystem = ObjectIdentifier(fileSystem as AnyObject)
            }
        }

        /// Of a directory that does not exist yet: as its parent's.
        private static func withoutLinks(_ path: String) -> String {
            if let known = Platform.realPath(path) { return known }
            guard let parent = Platform.realPath(StoreOpener.parent(of: path)),
                let slash = path.lastIndex(of: "/")
            else { return path }
            return (parent == "/" ? "" : parent) + path[slash...]
        }
    }

    /// A store that is open, and how many use it.
    private struct Opened: Sendable {
        let store: KeyValueStore
        var uses: Int
    }

    private enum Entry: Sendable {
        case open(Opened)
        /// Somebody is opening or closing it.
        case busy
    }

    private let entries = Locked<[Place: Entry]>([:])

    /// The store at a place, for one use more.
    /// - Parameter configuration: nil for that of the store, if it is open, and else the defaults.
    func use(_ path: String, _ configuration: Configuration?) throws(StoreError) -> (KeyValueStore, Place) {
        let wanted = configuration ?? Configuration()
        let place = Place(path, wanted.fileSystem)
        if let store = entries.wait(until: { Self.join(&$0, place) }) {
            if let configuration, let difference = configuration.difference(from: store.engine.directory.configuration)
            {
                release(store, place)
                throw StoreError(
                    .invalidArgument,
                    "the store is open in this process with another \(difference); ask for the same, or for none in "
                        + "particular", file: place.path)
            }
            return (store, place)
        }
        do throws(StoreError) {
            let store = try KeyValueStore.open(at: path, configuration: wanted)
            change(place, to: .open(Opened(store: store, uses: 1)))
            return (store, place)
        } catch {
            change(place, to: nil)
            throw error
        }
    }

    /// - Returns: nil where one has to wait; a store that is open, with one use more; else that there is none, and the
    ///   place is left to the caller.
    private static func join(_ entries: inout [Place: Entry], _ place: Place) -> KeyValueStore?? {
        switch entries[place] {
        case .busy: return nil
        case .open(var opened) where !opened.store.engine.status.isStopping:
            opened.uses += 1
            entries[place] = .open(opened)
            return .some(opened.store)
        default:
            // None, or one that somebody has closed under its users.
            entries[place] = .busy
            return .some(nil)
        }
    }

    /// Ends a use; closes the store with its last one.
    func end(_ store: KeyValueStore, _ place: Place) throws(StoreError) {
        if release(store, place) { return }
        defer { change(place, to: nil) }
        try store.close()
    }

    /// Counts one use less.
    /// - Returns: false where it was the last one: the place is left to the caller.
    @discardableResult
    private func release(_ store: KeyValueStore, _ place: Place) -> Bool {
        entries.withLock { entries in
            // Another one is there if this one was closed under its users.
            guard case .open(var opened) = entries[place], opened.store === store else { return true }
            opened.uses -= 1
            entries[place] = opened.uses > 0 ? .open(opened) : .busy
            return opened.uses > 0
        }
    }

    private func change(_ place: Place, to entry: Entry?) {
        entries.withLock { $0[place] = entry }
        entries.wakeAll()
    }
}

extension Configuration {
    /// The name of an option that is set otherwise in another one; nil where all are the same.
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
        ]
        return isSame.first { !$0.1 }?.0
    }
}
