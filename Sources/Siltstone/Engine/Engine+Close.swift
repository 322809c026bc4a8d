import Dispatch
import Synchronization

extension Engine {
    /// Bytes in memory from which on closing writes a segment. Fewer are left in the log to the next opening.
    private static let flushOnClose = 256 << 10

    /// Ends everything in good order. Again: does nothing, but waits for the call that does.
    func close() throws(StoreError) {
        guard status.beginClosing() else { return status.waitForRelease() }
        let result = Result { () throws(StoreError) in if !status.isReadOnly { try closeFiles() } }
        refuseAll()
        drainQueues()
        releaseLock()
        try result.get()
    }

    /// From here on every call throws, writers and readers alike, and compactions stop at the next record.
    private func refuseAll() {
        status.stop()
        writes.refuseWrites()
        feed.close()
    }

    /// Waits for writes under way and for background work. By the end of a flush, the work that it brings about is on the
    /// other queues.
    private func drainQueues() {
        // Verifications and checkpoints read or link files by their names.
        versions.obsolete.endHolds()
        // A large value that comes later is refused before it touches a file.
        values.drain()
        // Somebody may be making durable what the opening found.
        versions.drain()
        for queue in background.queues { queue.sync {} }
        writes.retire()
    }

    private func releaseLock() {
        lock?.release()
        status.release()
    }

    private func closeFiles() throws(StoreError) {
        // After a failed write or sync the log is left as it is: the next opening finds what it holds.
        if status.hasFailed { return }
        let bytes = writes.tables.last?.table.byteCount ?? 0
        do { if bytes >= Self.flushOnClose { try writes.flush() } } catch {
            // Changes that could not be written as a segment are in the log all the same.
            if error.code != .noSpace { throw error }
        }
        refuseAll()
        drainQueues()
        // No change comes before what was found is made durable, so that an unchanged store has none.
        if try versions.closeUnchanged(writes.closeLogAsItIs) { return }
        try writes.waitForAll()
        try versions.close(writes.closeLogs)
    }

    /// Leaves everything as it is, as the death of the process would: for stores that were never closed. Background work
    /// that has begun is finished, and the lock is held until then.
    func abandon() {
        // Work that was put off is not begun any more.
        background.reference.clear()
        guard status.beginClosing() else { return }
        refuseAll()
        StoreOpener.abandonments.add(1, ordering: .sequentiallyConsistent)
        // Not waited for: this may be the deinitialiser of whoever runs on one of the queues.
        releaseLock(behind: background.queues[...])
    }

    /// Gives up the lock of a store that was dropped, when the work on all of these queues is done.
    private func releaseLock(behind queues: ArraySlice<DispatchQueue>) {
        if let first = queues.first { return first.async { self.releaseLock(behind: queues.dropFirst()) } }
        releaseLock()
        StoreOpener.abandonments.subtract(1, ordering: .sequentiallyConsistent)
    }
}
