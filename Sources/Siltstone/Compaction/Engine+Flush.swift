import Dispatch
import Synchronization

extension Engine {
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
                writeLock.withLock { writeLock.wakeAll() }
                removeSoon(files)
            } catch {
                writeLock.withLock {
                    state.pointee.flushAttempts.fail(error)
                    state.pointee.pace.stopFlush()
                    writeLock.wakeAll()
                }
                return
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
            self.writeLock.withLock {
                self.state.pointee.removedLogs += 1
                self.writeLock.wakeAll()
            }
        }
    }

    /// Writes the oldest sealed memtable.
    /// - Returns: the files that are not needed any more; nil where there was no memtable.
    private func flushOldest() throws(StoreError) -> [StoreFile]? {
        // A table that is left when the store has closed stays in its log: the directory is not ours any more.
        guard let oldest = oldestSealed() else { return nil }
        try makingSpace { () throws(StoreError) in try flush(oldest) }
        return oldest.log.map { [.log($0.number)] } ?? []
    }

    /// The table to flush next, for an attempt that begins now.
    private func oldestSealed() -> LoggedTable? {
        writeLock.withLock {
            guard !state.pointee.isClosed, let oldest = state.pointee.sealed.first else { return nil }
            state.pointee.flushAttempts.begin()
            state.pointee.pace.beginFlush(bytes: oldest.table.byteCount)
            return oldest
        }
    }

    /// Writes one memtable as a segment of level 0.
    private func flush(_ sealed: LoggedTable) throws(StoreError) {
        let start = Platform.monotonicNanoseconds()
        flushedBytes.store(0, ordering: .relaxed)
        let (isBottom, isRead) = lookBelow()
        var edit = VersionEdit()
        if let log = sealed.log { edit.removedLogs = [log.number] }
        edit.lastSequence = sealed.table.greatestSequence
        let (infos, readers) = try makeSegments(
            sources: [MemTableSource(sealed.table)], tombstones: sealed.table.rangeTombstones.tombstones,
            isBottom: isBottom, expectedRecords: sealed.table.entryCount, segmentBytes: Self.flushedSegmentBytes,
            pieces: .soon,
            shouldStop: { bytes in
                self.flushedBytes.add(bytes, ordering: .relaxed)
                return false
            })
        for info in infos {
            // One run for each memtable: its number is its segment's, and later flushes have greater ones.
            edit.addedSegments.append(.init(info: info, level: 0, run: info.number))
        }
        do {
            let fresh = try isRead ? warm(readers) : Array(readers.keys)
            // The segment's pointers must not outlive their values.
            if !sealed.valueFiles.isEmpty { try syncValues() }
            try commit(edit, opened: readers, wakes: false) {
                state.pointee.sealed.removeFirst()
                state.pointee.flushedSequence = max(
                    state.pointee.flushedSequence, sealed.table.greatestSequence)
                state.pointee.flushedLogs += 1
                state.pointee.pace.endFlush(usualBytes: configuration.sealingBytes)
                state.pointee.flushAttempts.succeed()
                state.pointee.freshSegments.formUnion(fresh)
                state.pointee.statistics.flushes += 1
                state.pointee.statistics.flushedBytes += infos.reduce(0) { $0 + $1.fileBytes }
                state.pointee.statistics.flushSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
            }
        } catch {
            for info in infos { obsoleteUnlessNamed(.segment(info.number)) }
            throw error
        }
    }

    /// Whether nothing lies below what is to be flushed, so that not even it needs tombstones, and whether what does is read.
    ///
    /// A function: the version is not to be kept while the flush goes on, nor the space of files that are replaced meanwhile.
    private func lookBelow() -> (isBottom: Bool, isRead: Bool) {
        let runs = writeLock.withLock { state.pointee.version.runs }
        return (runs.isEmpty, runs.contains { $0.segments.contains(where: \.isRead) })
    }

    /// Merges sources into new segment files, synced and opened, whose names are durable.
    func makeSegments(
        sources: [RecordSource], tombstones: [RangeTombstone], isBottom: Bool, expectedRecords: Int = 0,
        segmentBytes: Int, pieces: OutputPieces,
        relocate: @escaping (Record) throws(StoreError) -> ValuePointer? = { _ in nil },
        shouldStop: @escaping (_ bytes: Int) -> Bool = { _ in false }
    ) throws(StoreError) -> ([SegmentInfo], [UInt64: SegmentReader]) {
        var made: [UInt64] = []
        let options = SegmentOptions(
            blockBytes: configuration.blockBytes, compression: configuration.compression,
            expectedRecords: expectedRecords, pieces: pieces)
        let environment = SegmentMerge.Environment(
            newSegment: { () throws(StoreError) in
                let number = self.takeFileNumber()
                made.append(number)
                return try SegmentWriter(
                    file: self.createFile(.segment(number)), number: number, store: self.identity, options: options)
            }, relocate: relocate, shouldStop: shouldStop)
        do {
            let merge = SegmentMerge(
                sources: sources, tombstones: tombstones, snapshots: snapshots.live(), isBottom: isBottom,
                segmentBytes: segmentBytes, environment: environment)
            let infos = try merge.run()
            if !infos.isEmpty { try syncDirectory() }
            var readers: [UInt64: SegmentReader] = [:]
            for info in infos { readers[info.number] = try openSegment(info) }
            return (infos, readers)
        } catch {
            obsolete.remove(made.map { .segment($0) })
            throw error
        }
    }

    func takeFileNumber() -> UInt64 { manifestLock.withLock { manifest?.takeNumber() ?? 0 } }

    /// Writes all changes that are in memory as a segment, and waits for it.
    func flush() throws(StoreError) {
        writeLock.lock()
        defer { writeLock.unlock() }
        try checkWritable()
        let earlier = attemptCounts()
        let newest = state.pointee.active.table
        if !newest.isEmpty {
            // Another thread may seal it meanwhile, which serves as well.
            while state.pointee.active.table === newest {
                _ = try rotate(ChangeSize(keyBytes: 0, valueBytes: 0, count: 1), .full, since: earlier)
            }
        }
        guard let last = state.pointee.sealed.last?.table else { return }
        // Only for what was there: writers may seal tables as fast as these are flushed.
        while state.pointee.sealed.contains(where: { $0.table === last }) {
            try state.pointee.flushAttempts.check(since: earlier.flush)
            try checkStillWritable()
            scheduleFlush()
            writeLock.wait()
        }
    }
}
