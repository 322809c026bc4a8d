import Synchronization

// Commits of transactions that are larger than memory. Such a commit goes to segments of level 0 directly (RocksDB's
// `IngestExternalFile`), and one edit of the manifest makes it: all or nothing, also across a crash.
//
// 1. The value lock is taken, for large values, and to admit one ingestion at a time.
// 2. Writers are paused, and the commit's check runs. No commit follows it, so its result stays true.
// 3. All memtables are flushed, because what is in a memtable counts as newer than what is in a segment.
// 4. The writes are merged into segments. Their sequence numbers follow the last one: first those of the deleted
//    ranges, then those of the writes, in key order. The transaction has already dropped what a later write of it hides.
// 5. One edit adds the segments as one run, and drops the active log, which has no changes: its successor has to link to
//    the commit. A crash before the edit leaves files that the next opening removes; one after it leaves the commit, and
//    perhaps a log without a link, which the next opening replaces.
// 6. Under the write lock, the version with the segments is published, then the last sequence number. The writers go on.
//
// The alternative was a commit of several log frames. It would write each byte three times (scratch file, log,
// segment), would need a format of its own, memtables that are visible together only, and flushes that wait for the
// last frame. Here each byte is written twice, and logs, recovery and memtables know nothing of it. The price is that
// other writers wait for the whole commit. They would wait for its frames as well, if not for as long.
extension BackgroundWork {
    /// Commits the writes of a transaction by ingestion. Blocks.
    /// - Parameter check: nil if nothing must be unchanged.
    /// - Returns: the last sequence number of the commit.
    /// - Throws: as ``WritePath/commit(_:mayBlock:apply:)``.
    func ingest(_ writes: WriteBuffer, _ check: CommitCheck?) throws(StoreError) -> SequenceNumber {
        var sealed = writes
        try sealed.seal()
        let changes = sealed
        try versions.makeRecoveryDurable()
        let last = try self.writes.commit(check) { check throws(StoreError) in try ingestOnce(changes, check) }
        scheduleCompaction()
        return last ?? 0
    }

    /// One attempt of ``ingest(_:_:)``.
    /// - Returns: 0 if the check does not allow the commit.
    private func ingestOnce(_ changes: WriteBuffer, _ check: CommitCheck?) throws(StoreError) -> SequenceNumber {
        try writes.withValuesLocked { () throws(StoreError) in
            guard try writes.pauseWriters(check) else { return 0 }
            defer { writes.resumeWriters() }
            return try writes.releasingReserves { () throws(StoreError) in
                try values.rollingBack { () throws(StoreError) in try ingestPaused(changes) }
            }
        }
    }

    /// Writes the segments of a commit, and installs them. Writers are paused.
    private func ingestPaused(_ changes: WriteBuffer) throws(StoreError) -> SequenceNumber {
        let (log, before) = try writes.drainMemTables()
        var last = before
        let tombstones = changes.deleted.ranges.map { range in
            last += 1
            return RangeTombstone(start: range.from, end: range.to ?? [], sequence: last)
        }
        let source = WriteBufferSource(changes, first: last + 1, largeValueBytes: configuration.largeValueBytes) {
            key, value throws(StoreError) in try self.values.append(key, value)
        }
        last += UInt64(source.recordCount)
        let start = Platform.monotonicNanoseconds()
        // Not as the bottom of the store, even if it is empty: a number of 0 would be visible before the commit is.
        let readers = try makeSegments(
            sources: [source], rangeTombstones: tombstones, isBottom: false,
            expectedRecords: min(source.recordCount, configuration.segmentBytes / 64),
            segmentBytes: configuration.segmentBytes, pieces: .shortLived)
        var edit = VersionEdit(lastSequence: last)
        edit.removedLogs = [log]
        let run = readers.first?.info.number ?? 0
        edit.addedSegments = readers.map { .init(info: $0.info, level: 0, run: run) }
        let (end, count, bytes) = (last, changes.batch.count, changes.batch.byteCount)
        try install(readers, edit, preloads: false, syncing: values) { counts in
            counts.flushes += 1
            counts.flushedBytes += readers.reduce(0) { $0 + $1.info.fileBytes }
            counts.flushSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
        } alsoUnderWriteLock: {
            writes.finishIngestion(last: end, count: count, bytes: bytes)
        }
        obsolete.remove([.log(log)])
        return last
    }
}
