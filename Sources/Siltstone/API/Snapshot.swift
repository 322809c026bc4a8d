import Synchronization

/// The store as it was at one moment. As many as one likes may live, for as long as one likes; what they see is kept.
///
/// Released by ``release()``, or when the last reference goes. Reads on a released snapshot throw
/// ``StoreError/Code/closed``.
public final class Snapshot: Sendable {
    /// Keeps the store open for as long as the snapshot lives.
    let store: KeyValueStore
    let reads: ReadPath
    let scans: ScanPath
    /// The newest change that the snapshot sees: it has this number in the store's history.
    public let sequence: UInt64
    private let isReleased = Atomic<Bool>(false)

    init(_ store: KeyValueStore) {
        self.store = store
        let reads = store.reads
        self.reads = reads
        scans = store.scans
        sequence = reads.snapshots.register { reads.visible.load(ordering: .acquiring) }
    }

    deinit { release() }

    var engine: Engine { store.engine }

    /// Lets the store give up what only this snapshot sees. Cursors made before stay good.
    public func release() {
        if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { reads.snapshots.release(sequence) }
    }

    func check() throws(StoreError) {
        if isReleased.load(ordering: .relaxed) {
            throw StoreError(.closed, "the snapshot was released; take a new one", file: engine.directory.path)
        }
    }
}
