import Synchronization

/// The state of the store at one moment. Any number of snapshots may exist, for any time. The store keeps the versions
/// that they see.
///
/// A snapshot is released by ``release()`` or with its last reference. Reads on a released snapshot throw
/// ``StoreError/Code/closed``.
public final class Snapshot: Sendable {
    /// Keeps the store open while the snapshot exists.
    let store: KeyValueStore
    let reads: ReadPath
    let scans: ScanPath
    /// The sequence number of the newest change that the snapshot sees.
    public let sequence: UInt64
    private let isReleased = Atomic<Bool>(false)

    init(_ store: KeyValueStore) {
        self.store = store
        let reads = store.reads
        self.reads = reads
        scans = store.scans
        sequence = reads.registerSnapshot()
    }

    deinit { release() }

    var engine: Engine { store.engine }

    /// Allows the store to drop versions that only this snapshot sees. Cursors that were made before stay valid.
    public func release() {
        if isReleased.exchange(true, ordering: .acquiringAndReleasing) { return }
        reads.snapshots.release(sequence)
        engine.background.snapshotWasReleased()
    }

    /// Throws ``StoreError/Code/closed`` if the snapshot was released.
    ///
    /// A read that may start much later calls this before and after, because the snapshot may be released in the
    /// meantime. ``release()`` sets the flag before it unregisters the snapshot. So if the flag is not set after a read,
    /// the super version that the read has used still holds the versions that the snapshot sees. A relaxed load
    /// suffices: a thread that reads a super version from which versions were dropped also sees the flag.
    func check() throws(StoreError) {
        if isReleased.load(ordering: .relaxed) {
            throw StoreError(.closed, "the snapshot was released; take a new one", file: engine.directory.path)
        }
    }
}
