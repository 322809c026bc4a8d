/// What walks all that a view holds: the merge of its memtables and runs. Used by one walk at a time, and then by the next.
///
/// `@unchecked Sendable`: whoever takes one out of the pool has it alone.
final class Scan: @unchecked Sendable {
    /// Keeps the memtables and segments that the records lie in.
    let view: SuperVersion
    let merge: MergingCursor
    /// Set once a walk has failed: its place is not known any more.
    var failure: StoreError? { didSet { hasFailed = failure != nil } }
    /// Whether ``failure`` is set: a look at that copies it.
    private(set) var hasFailed = false
    /// Room for the walk that uses it, where that needs an address.
    let room: UnsafeMutablePointer<ScanWalk>

    /// What its walk has looked into last. Behind a pointer: as a property it would be checked for exclusive access each time.
    let values: UnsafeMutablePointer<RecentValueFile>

    init(_ view: SuperVersion) {
        self.view = view
        merge = MergingCursor(view.sources())
        room = .allocate(capacity: 1)
        values = .allocate(capacity: 1)
        values.initialize(to: RecentValueFile())
    }

    deinit {
        room.deallocate()
        values.deinitialize(count: 1)
        values.deallocate()
    }

    /// Gives up what keeps memory alive, until the next walk.
    func rest() {
        merge.rest()
        values.pointee = RecentValueFile()
    }
}
