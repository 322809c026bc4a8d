/// Merges the memtables and runs of one super version. Reused from scan to scan, by one thread at a time.
final class Scan {
    /// Keeps the memtables and segments that hold the records alive.
    let superVersion: SuperVersion
    /// Over all memtables and runs of ``superVersion``.
    let merge: MergingCursor
    /// The error that ended a scan. Afterwards the position of the merge is unknown, so this object is not reused.
    var failure: StoreError? { didSet { hasFailed = failure != nil } }
    /// Whether ``failure`` is set. Reading ``failure`` itself would copy it.
    private(set) var hasFailed = false
    /// Storage for the ``ScanWalk`` that uses this object, if the walk needs an address.
    let room = HeapSlot<ScanWalk>()
    /// The value file that the scan read last.
    let values = HeapCell(RecentValueFile())

    init(_ superVersion: SuperVersion) {
        self.superVersion = superVersion
        merge = MergingCursor(superVersion.sources())
    }

    /// Releases the memory that the last scan used, until the next one starts.
    func rest() {
        merge.rest()
        values.value = RecentValueFile()
    }
}
