/// Merges the memtables and runs of one super version. Reused from walk to walk, by one thread at a time.
final class Scan {
    /// Keeps the memtables and segments that the records lie in.
    let superVersion: SuperVersion
    let merge: MergingCursor
    /// Set once a walk has failed: its place is not known any more.
    var failure: StoreError? { didSet { hasFailed = failure != nil } }
    /// Whether ``failure`` is set: a look at that copies it.
    private(set) var hasFailed = false
    /// Room for the walk that uses it, where that needs an address.
    let room = HeapSlot<ScanWalk>()
    /// The value file that its walk has looked into last.
    let values = HeapCell(RecentValueFile())

    init(_ superVersion: SuperVersion) {
        self.superVersion = superVersion
        merge = MergingCursor(superVersion.sources())
    }

    /// Gives up what keeps memory alive, until the next walk.
    func rest() {
        merge.rest()
        values.value = RecentValueFile()
    }
}
