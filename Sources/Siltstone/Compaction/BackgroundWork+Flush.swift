import Dispatch
import Synchronization

extension BackgroundWork {
    /// Bytes at which a flushed segment is cut: far above a memtable, and below what a segment can hold.
    private static let flushedSegmentBytes = 2 << 30

    /// Has sealed memtables written as segments in the background.
    func scheduleFlush() {
        if flushScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        flushQueue.async {
            self.flushScheduled.store(false, ordering: .releasing)
            self.flushSealed()
        }
    }

    /// Writes all sealed memtables, oldest first. On the flush queue.
    private func flushSealed() {
        while true {
            do {
                guard let files = try flushOldest() else { return }
                // Whoever waits for room is woken only now: the memtable is gone, and its memory there for the next one.
                writes.wakeAll()
                removeSoon(files)
            } catch {
                return writes.failFlush(error)
            }
            scheduleCompaction()
        }
    }

    /// Removes files beside the flushes to come; not more than one flush's at a time, or logs would pile up where that takes
    /// long.
    private func removeSoon(_ files: [StoreFile]) {
        removalQueue.sync {}
        removalQueue.async {
            self.obsolete.remove(files)
            self.writes.noteLogRemoved()
        }
    }

    /// Writes the oldest sealed memtable.
    /// - Returns: the files that are not needed any more; nil where there was no memtable.
    private func flushOldest() throws(StoreError) -> [StoreFile]? {
        guard let oldest = writes.beginFlush() else { return nil }
        try writes.makingSpace { () throws(StoreError) in try flush(oldest) }
        return oldest.log.map { [.log($0.number)] } ?? []
    }

    /// Writes one memtable as a segment of level 0.
    private func flush(_ sealed: LoggedTable) throws(StoreError) {
        let start = Platform.monotonicNanoseconds()
        writes.flushProgress.store(0, ordering: .relaxed)
        let (isBottom, isRead) = lookBelow()
        var edit = VersionEdit()
        if let log = sealed.log { edit.removedLogs = [log.number] }
        edit.lastSequence = sealed.table.greatestSequence
        let (infos, readers) = try makeSegments(
            sources: [MemTableSource(sealed.table)], tombstones: sealed.table.rangeTombstones.tombstones,
            isBottom: isBottom, expectedRecords: sealed.table.entryCount, segmentBytes: Self.flushedSegmentBytes,
            pieces: .soon,
            shouldStop: { bytes in
                self.writes.flushProgress.add(bytes, ordering: .relaxed)
                return false
            })
        for info in infos {
            // One run for each memtable: its number is its segment's, and later flushes have greater ones.
            edit.addedSegments.append(.init(info: info, level: 0, run: info.number))
        }
        do {
            let fresh = try isRead ? preload(readers) : Array(readers.keys)
            // The segment's pointers must not outlive their values.
            if !sealed.valueFiles.isEmpty { try values.sync() }
            try versions.logAndApply(edit, opened: readers, wakes: false) {
                writes.finishFlush(of: sealed)
                note(fresh: fresh) { counts in
                    counts.flushes += 1
                    counts.flushedBytes += infos.reduce(0) { $0 + $1.fileBytes }
                    counts.flushSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
                }
            }
        } catch {
            versions.discard(infos.map { .segment($0.number) })
            throw error
        }
    }

    /// Whether nothing lies below what is to be flushed, so that not even it needs tombstones, and whether what does is read.
    ///
    /// A function: the version is not to be kept while the flush goes on, nor the space of files that are replaced meanwhile.
    private func lookBelow() -> (isBottom: Bool, isRead: Bool) {
        let runs = versions.current.runs
        return (runs.isEmpty, runs.contains { $0.segments.contains(where: \.isRead) })
    }
}
