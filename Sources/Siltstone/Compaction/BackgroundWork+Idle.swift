import Dispatch
import Synchronization

// A store becomes idle when nobody has written for a moment (``IdleWatch``). It then flushes its memtable, merges the
// level-0 runs if the merge is cheap enough (``CompactionPicker/pickForIdle(_:)``), and releases the memory and disk
// space that it had reserved for more writes. Afterwards reads check one run instead of several memtables and runs, the
// next opening has no log to replay, and the disk space of the log is free.
extension BackgroundWork {
    /// An idle store flushes a memtable that holds at least 1/16 of ``Configuration/memTableBytes``. A smaller one is
    /// not worth a segment.
    private static let minFraction = 16

    /// An idle store flushes its memtable if it holds at least this many bytes.
    var leastIdleFlush: Int { configuration.memTableBytes / Self.minFraction }

    /// Adds the store to ``IdleWatch``, which tidies it once it is idle. Writers call this from time to time. Does
    /// nothing if the store is already watched.
    func watchForIdleness() {
        guard configuration.tidiesWhenIdle, !configuration.readOnly else { return }
        if idleWatchScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        // The watch holds no strong reference. A store that nobody holds any more need not be tidied.
        IdleWatch.shared.add(reference, reads.visible.load(ordering: .relaxed))
    }

    /// Schedules ``tidy(since:)``, which does nothing if a write follows `sequence`.
    func tidySoon(since sequence: SequenceNumber) {
        // Runs on the flush queue because closing waits for this queue.
        flushQueue.async { self.tidy(since: sequence) }
    }

    /// Tidies the store if nobody has written since `sequence`. Runs on the flush queue.
    private func tidy(since sequence: SequenceNumber) {
        guard !status.isStopping else { return }
        idleSince.store(sequence, ordering: .relaxed)
        // Clears the flag before checking the memtable. A writer that writes after the check then finds the flag
        // cleared and adds the store to the watch again.
        idleWatchScheduled.store(false, ordering: .sequentiallyConsistent)
        let sealing = writes.sealIfIdle(since: sequence, leastBytes: leastIdleFlush)
        if sealing == .wait {
            if idleWatchScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
            return IdleWatch.shared.add(reference, sequence, isQuiet: true)
        }
        arenas.clear()
        if !writes.releaseReserves(ifIdleSince: sequence) { watchForIdleness() }
        // If a flush was scheduled, it schedules the compaction itself when it has finished. The compaction then
        // includes the flushed run.
        if sealing == .nothing { scheduleCompaction() }
    }

    /// True if nobody has written since the store was last found idle.
    var isIdle: Bool {
        configuration.tidiesWhenIdle
            && idleSince.load(ordering: .relaxed) == reads.visible.load(ordering: .relaxed)
    }
}
