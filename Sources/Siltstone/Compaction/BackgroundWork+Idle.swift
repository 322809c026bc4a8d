import Dispatch
import Synchronization

// What a store does once nobody has written for a moment: it writes what is in memory as a segment, has the runs merged as
// far as that is worth it, and gives back the memory and the disk space that were kept for more writes. Reads then ask one
// run instead of some memtables and runs, the next opening has no log to read, and the log's disk space is free.
extension BackgroundWork {
    /// The part of a full memtable from which on it is worth a segment of its own.
    private static let leastPart = 16

    /// Bytes in a memtable from which on an idle store flushes it.
    var leastIdleFlush: Int { configuration.memTableBytes / Self.leastPart }

    /// Has the store tidied up once it is idle. Called by writers, now and then.
    func watchForIdleness() {
        guard configuration.tidiesWhenIdle, !configuration.readOnly else { return }
        if idleWatchScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        // The watch keeps nothing alive: a store that nobody holds any more need not be tidied.
        IdleWatch.shared.add(reference, reads.visible.load(ordering: .relaxed))
    }

    /// Has the store tidied up, if nobody has written since.
    func tidySoon(since sequence: SequenceNumber) {
        // Behind the flush queue: closing waits for what runs there.
        flushQueue.async { self.tidy(since: sequence) }
    }

    /// Tidies up, if nobody has written since. On the flush queue.
    private func tidy(since sequence: SequenceNumber) {
        guard !status.isStopping else { return }
        idleSince.store(sequence, ordering: .relaxed)
        // Before the look at the memtable: who writes after it has the store watched again.
        idleWatchScheduled.store(false, ordering: .sequentiallyConsistent)
        let sealing = writes.sealIfIdle(since: sequence, leastBytes: leastIdleFlush)
        if sealing == .wait {
            if idleWatchScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
            return IdleWatch.shared.add(reference, sequence, isQuiet: true)
        }
        arenas.clear()
        if !writes.releaseReserves(ifIdleSince: sequence) { watchForIdleness() }
        // Where there is a flush now, the compaction is for what comes out of it, too, and comes after it.
        if sealing == .nothing { scheduleCompaction() }
    }

    /// Whether nobody has written since the store found itself idle.
    var isIdle: Bool {
        configuration.tidiesWhenIdle
            && idleSince.load(ordering: .relaxed) == reads.visible.load(ordering: .relaxed)
    }
}
