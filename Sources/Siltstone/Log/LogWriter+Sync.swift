import Synchronization

extension LogWriter {
    /// Makes everything that was appended before the call durable. May run on any thread, concurrently with appends.
    /// Concurrent calls run one after the other.
    ///
    /// Later frames carry the synced mark, which lets a reader tell damage from a torn tail.
    /// - Parameter limit: largest offset in bytes to which the mark may move; nil moves it to the end that the sync
    ///   covers. The frames of a log may refer to other files. The mark must not cover a frame whose files were not
    ///   synced before.
    /// - Throws: the error of the file system the first time, ``StoreError/Code/refusesWrites`` afterwards. Whatever
    ///   the code of the first error, the state on disk is unknown (``StoreError/asUncertain``).
    func sync(upTo limit: Int? = nil) throws(StoreError) {
        try syncing.withLock { () throws(StoreError) in
            if let failure { throw failure.refusal }
            let target = limit ?? end
            if syncedMark.load(ordering: .relaxed) >= target { return }
            do throws(FileSystemError) { try file.syncFully() } catch { throw fail(StoreError(error)) }
            syncedMark.store(target, ordering: .releasing)
        }
    }

    /// Ends the log after its last frame: releases the reserved space that is not used, and syncs. Later appends are
    /// refused; the file stays open. For the appending caller.
    /// - Throws: as ``sync()``.
    func seal() throws(StoreError) {
        let (isFirst, reserved) = space.withLock { space -> (Bool, Int) in
            defer {
                space.isSealed = true
                space.mapping = nil
                room.store(0, ordering: .releasing)
            }
            return (!space.isSealed, space.reserved)
        }
        tail.value.mapped = nil
        if let failure { throw failure.refusal }
        let end = tail.value.end
        if isFirst, reserved > end {
            do { try retrying(file.truncate(to: end)) } catch { throw fail(StoreError(error)) }
        }
        try sync()
    }

    /// Closes the file cleanly: appends a close frame, calls ``seal()``, and closes the file. For the appending caller.
    /// - Throws: as ``sync()``.
    func close() throws(StoreError) {
        do {
            try append(frame: .close)
        } catch {
            // A full disk has no space for the frame. The log does not need it, because it reads the same without the
            // frame.
            guard error.code == .noSpace || error.code == .closed else { throw error }
        }
        try closeWithoutFrame()
    }

    /// Closes the file without a close frame: for a log that was closed before and has not grown. For the appending
    /// caller.
    /// - Throws: as ``sync()``.
    func closeWithoutFrame() throws(StoreError) {
        try seal()
        try storeErrors(file.close())
    }
}
