import Dispatch

extension Engine {
    /// Closes the store in order. A second call only waits until the first one has finished, and does not report its
    /// error. If this throws, the store is closed all the same.
    func close() throws(StoreError) {
        guard status.beginClosing() else { return status.waitForRelease() }
        let result = Result { () throws(StoreError) in if !status.isReadOnly { try closeFiles() } }
        // Again, for a read-only store and for an error before `closeFiles` came to it. Both may be repeated.
        refuseAll()
        drainQueues()
        releaseLock()
        try result.get()
    }

    /// Makes all later reads and writes throw, ends the change feed, and stops compactions soon.
    private func refuseAll() {
        status.stop()
        writes.refuseWrites()
        feed.close()
    }

    /// Waits for writes in progress and for background work. Writes are refused already. Draining each queue once is
    /// enough, in the order of ``BackgroundWork/queues``.
    private func drainQueues() {
        // Waits for verifications and checkpoints, which read or link files by name.
        versions.obsolete.endHolds()
        // Waits for writes of large values. Later ones are refused before they change a file.
        values.drain()
        // Waits for a thread that may still append an edit or make the recovered changes durable.
        versions.drain()
        for queue in background.queues { queue.sync {} }
        // Super versions that were replaced, and idle scans, keep files open.
        writes.retire()
    }

    /// Releases the lock of the directory, and wakes callers of ``close()`` that wait for it.
    private func releaseLock() {
        lock?.release()
        status.release()
    }

    /// Flushes or syncs the changes in memory, and closes the log and the manifest. The changes of a memtable that is
    /// not worth a flush stay in the log, and the next opening reads them from there.
    private func closeFiles() throws(StoreError) {
        // Also after a failure, so that the caller of `close()` learns that the directory is not at its path.
        try versions.checkInPlace()
        // After a failed write or sync, the log stays as it is. The next open recovers its contents.
        if status.hasFailed { return }
        let bytes = writes.tables.last?.releasedBytes ?? 0
        var flushError: StoreError?
        do { if bytes >= LoggedTable.minReleasedBytes { try writes.flush() } } catch {
            // The log still holds the changes that could not be flushed. So a full disk is no error here, and after any
            // other error the log is synced and closed all the same.
            if error.code != .noSpace { flushError = error }
        }
        refuseAll()
        drainQueues()
        // Unless the flush has met a failed write or sync: see above.
        if let flushError, status.hasFailed { throw flushError }
        do { try closeLogs() } catch { throw flushError ?? error }
        if let flushError { throw flushError }
    }

    /// Syncs all changes, and closes the log and the manifest. Nobody writes any more.
    private func closeLogs() throws(StoreError) {
        // The first change after recovery opens the manifest for writing. If it was not opened, nothing has changed,
        // and nothing must be written. The functions that close logs run under the manifest lock.
        if try versions.closeUnchanged(writes.closeLogAsItIs) { return }
        try writes.commits?.wait(for: writes.lastSequence)
        // The last value files can be collected, too: the next session begins others.
        for log in [values, background.relocations] { try log.finishFile() }
        // On a full disk, the next opening collects the files.
        do { try background.collectValueFiles() } catch { if error.code != .noSpace { throw error } }
        try versions.close(writes.closeLogs)
    }

    /// Stops the store without closing its files in order, as if the process had died. Called when a store is dropped;
    /// has no effect after ``close()``. Background work in progress finishes, and the lock is held until then.
    func abandon() {
        // Keeps postponed work from starting.
        background.reference.clear()
        guard status.beginClosing() else { return }
        refuseAll()
        // While there are any, an opener that finds the directory locked waits for the lock.
        let place = StorePlace(directory.path, directory.fileSystem)
        StoreOpener.abandonments.withLock { $0[place, default: 0] += 1 }
        // Does not wait, because this may run in a deinitialiser on one of the queues.
        releaseLock(of: place, behind: background.queues[...])
    }

    /// Releases the lock of an abandoned store after the work on all of these queues has finished. Visits them one
    /// after the other, because work on one may schedule work on a later one.
    private func releaseLock(of place: StorePlace, behind queues: ArraySlice<DispatchQueue>) {
        if let first = queues.first { return first.async { self.releaseLock(of: place, behind: queues.dropFirst()) } }
        releaseLock()
        StoreOpener.abandonments.withLock { stores in
            let others = stores[place, default: 1] - 1
            stores[place] = others > 0 ? others : nil
        }
        StoreOpener.abandonments.wakeAll()
    }
}
