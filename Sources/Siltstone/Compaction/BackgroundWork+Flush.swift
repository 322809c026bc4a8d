import Dispatch
import Synchronization

extension BackgroundWork {
    /// A flush starts a new segment after this many bytes. The bound is far above the usual size of a memtable, and
    /// below the largest segment that the format allows (4 GiB of blocks).
    private static let flushedSegmentBytes = 2 << 30

    /// Schedules a flush of all sealed memtables on the flush queue. Does nothing if one is already scheduled.
    func scheduleFlush() {
        if flushScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        flushQueue.async {
            self.flushScheduled.store(false, ordering: .releasing)
            self.flushSealed()
        }
    }

    /// Flushes all sealed memtables, oldest first. Runs on the flush queue.
    private func flushSealed() {
        while true {
            do {
                guard let files = try flushOldest() else { return collectFlushedValues() }
                // Wakes waiting writers only now, because only now has the memtable been released. Unless a reader
                // still uses it, its memory is free for the next one.
                writes.wakeAll()
                removeSoon(files)
            } catch {
                return writes.failFlush(error)
            }
            // Before the next flush, so that dead values do not accumulate however fast writers are.
            collectFlushedValues()
            scheduleCompaction()
        }
    }

    /// Removes the value files to which nothing refers any more since a flush has dropped the overwritten values.
    private func collectFlushedValues() {
        if status.isClosed { return }
        // After a failure the version set refuses writes, and on a full disk the next flush tries again.
        do { try collectValueFiles(isOrdered: false) } catch {}
    }

    /// Removes value files to which nothing refers. Takes no value lock, whose holder may wait for the flush that calls
    /// this.
    /// - Parameter isOrdered: see ``VersionSet/dropValueFiles(isOrdered:inUse:)``.
    func collectValueFiles(isOrdered: Bool = true) throws(StoreError) {
        try versions.dropValueFiles(isOrdered: isOrdered) { relocations.filesInUse.union(writes.valueFilesInUse) }
    }

    /// Schedules work that frees disk space, after a write has met a full disk. Does nothing if it is scheduled already.
    func scheduleSpace() {
        if spaceScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        // Only a compaction ends this state.
        if configuration.automaticCompaction { directory.spare.isBeingFreed.store(true, ordering: .relaxed) }
        scheduleFlushOfAll {
            self.scheduleCompaction()
            self.spaceScheduled.store(false, ordering: .releasing)
        }
    }

    /// Schedules a flush of all changes in memory, and `body` after it.
    func scheduleFlushOfAll(before body: @escaping @Sendable () -> Void = {}) {
        // Not on the flush queue, because it waits for a flush.
        preparationQueue.async {
            if !self.status.isClosed { self.writes.freeSpace() }
            body()
        }
    }

    /// Removes files on the removal queue while the next flush runs. First waits until the files of the previous flush
    /// are removed. Otherwise logs would pile up if removal is slow.
    private func removeSoon(_ files: [StoreFile]) {
        removalQueue.sync {}
        removalQueue.async { self.obsolete.remove(files) }
    }

    /// Flushes the oldest sealed memtable.
    /// - Returns: the files that became obsolete; nil if there was no sealed memtable.
    private func flushOldest() throws(StoreError) -> [StoreFile]? {
        guard let oldest = writes.beginFlush() else { return nil }
        try writes.releasingReserves { () throws(StoreError) in try flush(oldest) }
        return oldest.log.map { [.log($0.number)] } ?? []
    }

    /// Writes one memtable as a segment of level 0.
    private func flush(_ sealed: LoggedTable) throws(StoreError) {
        let start = Platform.monotonicNanoseconds()
        writes.beginFlushProgress()
        let (isBottom, isRead) = inspectRunsBelow()
        var edit = VersionEdit(lastSequence: sealed.table.greatestSequence)
        if let log = sealed.log { edit.removedLogs = [log.number] }
        let readers = try makeSegments(
            sources: [MemTableSource(sealed.table)], rangeTombstones: sealed.table.rangeTombstones.tombstones,
            isBottom: isBottom, expectedRecords: sealed.table.entryCount, segmentBytes: Self.flushedSegmentBytes,
            pieces: .shortLived,
            onProgress: { bytes in
                self.writes.addFlushProgress(bytes)
                return false
            })
        // The run takes the number of its segment. Later flushes have larger file numbers, so the run numbers order the
        // runs of level 0 by age.
        edit.addedSegments = readers.map { .init(info: $0.info, level: 0, run: $0.info.number) }
        try install(readers, edit, preloads: isRead, syncing: sealed.valueFiles.isEmpty ? nil : values, wakes: false) {
            counts in
            counts.flushes += 1
            counts.flushedBytes += readers.reduce(0) { $0 + $1.info.fileBytes }
            counts.flushSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
        } alsoUnderWriteLock: {
            writes.finishFlush(of: sealed)
        }
    }

    /// Checks the runs below the memtable that is about to be flushed.
    ///
    /// This is a function of its own so that the version is released when it returns. If the flush held the version, it
    /// would also keep the disk space of files that are replaced in the meantime.
    /// - Returns: `isBottom`: there are no runs, nor files of removed ones, so the output needs no tombstones. `isRead`:
    ///   readers have used a segment of some run.
    private func inspectRunsBelow() -> (isBottom: Bool, isRead: Bool) {
        let runs = versions.current.runs
        return (runs.isEmpty && obsolete.hasRemovedInputs, runs.contains { $0.segments.contains(where: \.isRead) })
    }
}
