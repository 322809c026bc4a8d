import Dispatch
import Synchronization

// A store becomes idle when nobody has written for one or two tenths of a second (``IdleWatch``). It then flushes its
// memtable if that is large enough. It merges the level-0 runs if the merge is cheap enough (``CompactionPicker/pickForIdle(_:)``).
// It releases the memory and disk space that it had reserved for more writes. After a flush and a merge, reads check
// one run instead of several memtables and runs, the next opening has no log to replay, and the log's disk space is
// free.
extension BackgroundWork {
    /// Adds the store to ``IdleWatch``, which tidies it once it is idle. Does nothing if the store is already watched.
    /// Writers call this again and again while they write.
    func watchForIdleness() {
        guard configuration.tidiesWhenIdle, !configuration.readOnly else { return }
        if idleWatchScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        // The watch holds no strong reference. A store that nobody holds any more need not be tidied.
        IdleWatch.shared.add(reference, reads.visible)
    }

    /// Schedules ``tidy(since:)``.
    func tidySoon(since sequence: SequenceNumber) {
        // Runs on the flush queue because closing waits for this queue.
        flushQueue.async { self.tidy(since: sequence) }
    }

    /// Tidies the store. If somebody has written since `sequence`, seals no memtable and keeps the reserved disk space.
    /// Runs on the flush queue.
    private func tidy(since sequence: SequenceNumber) {
        guard !status.isStopping else { return }
        sequenceWhenIdle.store(sequence, ordering: .relaxed)
        // Clears the flag before `sealIfIdle` checks under the write lock for writes. A writer that takes the lock
        // afterwards finds the flag cleared, and adds the store to the watch again.
        idleWatchScheduled.store(false, ordering: .sequentiallyConsistent)
        let sealing = writes.sealIfIdle(since: sequence)
        // The memtable cannot be sealed yet: it waits for a flush, a compaction or the next log. The watch tries again.
        if sealing == .wait { return watchForIdleness() }
        writes.arenas.clear()
        // Fails if somebody has written.
        if !writes.releaseReserves(ifIdleSince: sequence) { watchForIdleness() }
        // If a flush was scheduled, it schedules the compaction when it has finished. The compaction then includes the
        // flushed run.
        if sealing == .nothing { scheduleCompaction() }
    }

    /// True if nobody has written since the store was last found idle.
    var isIdle: Bool {
        configuration.tidiesWhenIdle && sequenceWhenIdle.load(ordering: .relaxed) == reads.visible
    }
}
