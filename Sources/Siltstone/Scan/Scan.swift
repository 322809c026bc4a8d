/// The state that scans of one super version share one after the other: its merge, and what the last scan has opened.
/// ``ScanPool`` keeps it between scans. Used by one thread at a time.
final class Scan {
    /// Keeps alive the memtables and segments that the merge reads.
    let superVersion: SuperVersion
    /// Over all memtables and runs of ``superVersion``.
    let merge: MergingCursor
    /// The error that ended a scan. Afterwards the position of the merge is unknown, so this object is not reused.
    var failure: StoreError? { didSet { hasFailed = failure != nil } }
    /// Whether ``failure`` is set. Reading ``failure`` itself would copy it.
    private(set) var hasFailed = false
    /// Storage for a ``ScanIterator`` at a fixed address. Loops that are inlined into callers cannot hold the iterator.
    let iteratorStorage = HeapSlot<ScanIterator>()
    /// The value file that the last value was read from, so that the next value need not look for it.
    let recentValueFile = HeapCell(RecentValueFile())

    init(_ superVersion: SuperVersion) {
        self.superVersion = superVersion
        merge = MergingCursor(superVersion.sources())
    }

    /// Releases the memory that the last scan used. The super version stays.
    func rest() {
        merge.rest()
        recentValueFile.value = RecentValueFile()
    }
}
