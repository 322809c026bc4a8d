import Dispatch
import Synchronization

extension Engine {
    /// Reads of a view that is outdated, before a new one is published: that takes as long as some dozens of them.
    private static let fewReads = 32

    /// Told of each read that has gone the long way. Publishes a new view once many have, because range tombstones have come
    /// that the plan of theirs does not know.
    ///
    /// Not with each removal of a range: many may come at once, and each view takes as long as there are tombstones.
    @inline(__always)
    func noteLongRead(_ view: ReadView) {
        if _slowPath(view.plan.isOutdated) { noteOutdatedRead(view) }
    }

    @inline(never)
    private func noteOutdatedRead(_ view: ReadView) {
        let limit = Self.fewReads + view.plan.tombstoneCount / 4
        guard outdatedReads.add(1, ordering: .relaxed).newValue >= limit, writeLock.tryLock() else { return }
        defer { writeLock.unlock() }
        outdatedReads.store(0, ordering: .relaxed)
        guard !state.pointee.isClosed, views.isCurrent(.passUnretained(view)) else { return }
        publishView()
        // By another thread: this one still reads, and does not wait for itself.
        Self.retirementQueue.async { [reference] in reference.value?.retireViews() }
    }
}
