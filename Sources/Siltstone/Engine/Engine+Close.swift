import Dispatch
import Synchronization

extension Engine {
    /// Bytes in memory from which closing writes a segment rather than leave them to the next opening, which would have
    /// to read them from the log.
    private static let flushOnClose = 256 << 10

    /// Stores of this process that were dropped, and whose locks are about to be given up: who opens one again waits.
    static let abandonments = Atomic<Int>(0)

    /// Ends everything in good order. Again: does nothing, but waits for the call that does.
    func close() throws(StoreError) {
        let isFirst = writeLock.withLock {
            if state.pointee.isClosing {
                while !state.pointee.isReleased { writeLock.wait() }
                return false
            }
            state.pointee.isClosing = true
            return true
        }
        guard isFirst else { return }
        let result = Result { () throws(StoreError) in if !configuration.readOnly { try closeFiles() } }
        refuseAll()
        drainQueues()
        releaseLock()
        try result.get()
    }

    /// From here on every call throws, writers and readers alike, and compactions stop at the next record.
    private func refuseAll() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        writeLock.withLock {
            state.pointee.isClosed = true
            writeLock.wakeAll()
        }
        feed.close()
    }

    /// Waits for writes under way and for background work. What a flush brings about on other queues has been put there by its end.
    private func drainQueues() {
        // Whoever reads or links files by their names.
        obsolete.endHolds()
        // Whoever writes a large value; the next one is refused before it touches a file.
        valueLock.withLock {}
        // Whoever makes durable what the opening found.
        manifestLock.withLock {}
        for queue in backgroundQueues { queue.sync {} }
        retireViews()
    }

    /// What works on the files: the next owner's, once the lock is given up. In the order in which one brings about work on
    /// another.
    var backgroundQueues: [DispatchQueue] { [flushQueue, removalQueue, logQueue, preparationQueue, compactionQueue] }

    private func releaseLock() {
        lock?.release()
        writeLock.withLock {
            state.pointee.isReleased = true
            writeLock.wakeAll()
        }
    }

    private func closeFiles() throws(StoreError) {
        let bytes = writeLock.withLock { state.pointee.active.table.byteCount }
        let isPoisoned = writeLock.withLock { state.pointee.hasFailed }
        // After a failed write or sync the log is left as it is: what it holds, the next opening finds.
        if isPoisoned { return }
        do { if bytes >= Self.flushOnClose { try flush() } } catch {
            // What could not be written as a segment is in the log all the same.
            if error.code != .noSpace { throw error }
        }
        refuseAll()
        drainQueues()
        if try closeUnchanged() { return }
        let last = writeLock.withLock { state.pointee.lastSequence }
        try commits?.wait(for: last)
        try manifestLock.withLock { () throws(StoreError) in
            let (active, sealed, next, values) = writeLock.withLock {
                (state.pointee.active, state.pointee.sealed, state.pointee.nextLog, state.pointee.values)
            }
            values?.releaseSpace()
            try syncValues(values)
            // Without a close frame: the link of the log behind says where each of these ends.
            for table in sealed { try table.log?.seal() }
            try active.log?.close()
            // No close frame either: the next opening shall find it as fresh as it is.
            try next?.seal()
            guard let manifest, let log = active.log else { return }
            var edit = VersionEdit()
            edit.closing = .init(log: log.number, end: UInt64(log.end), lastSequence: last)
            try manifest.append(edit)
            try manifest.close()
        }
    }

    /// Closes the files of a store that is as it was when it was closed before: there is nothing to write.
    /// - Returns: false where it is not.
    private func closeUnchanged() throws(StoreError) -> Bool {
        try manifestLock.withLock { () throws(StoreError) in
            let log = writeLock.withLock { state.pointee.active.log }
            // No change comes before what was found is made durable, so that it has none.
            guard let log, let manifest, manifest.isAsFound else { return false }
            try log.closeAsItIs()
            return true
        }
    }

    /// Leaves everything as it is, as the death of the process would: for stores that were never closed. Background work
    /// that has begun is finished, and the lock is held until then.
    func abandon() {
        let isFirst = writeLock.withLock {
            defer { state.pointee.isClosing = true }
            return !state.pointee.isClosing
        }
        guard isFirst else { return }
        refuseAll()
        Self.abandonments.add(1, ordering: .sequentiallyConsistent)
        // Not waited for: this may be the deinitialiser of whoever runs on one of the queues.
        releaseLock(behind: backgroundQueues[...])
    }

    /// Gives the lock of a store that was dropped up, when the work on all of these queues is done.
    private func releaseLock(behind queues: ArraySlice<DispatchQueue>) {
        if let first = queues.first { return first.async { self.releaseLock(behind: queues.dropFirst()) } }
        releaseLock()
        Self.abandonments.subtract(1, ordering: .sequentiallyConsistent)
    }
}
