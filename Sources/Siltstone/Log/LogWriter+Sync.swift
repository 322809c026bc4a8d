import Synchronization

extension LogWriter {
    /// Makes everything appended before the call durable. Beside appends, on any thread; calls wait for each other.
    ///
    /// Frames appended later carry the mark, by which a reader can tell damage from a torn tail.
    /// - Parameter limit: up to where the mark may be moved; nil: as far as the sync reaches. A log whose frames refer
    ///   to other files must not vouch for frames beyond those whose files were synced before.
    /// - Throws: ``StoreError/Code/inputOutput`` the first time, ``StoreError/Code/refusesWrites`` ever after.
    func sync(upTo limit: Int? = nil) throws(StoreError) {
        try syncing.withLock { () throws(StoreError) in
            if let failure { throw failure.refusal }
            let target = limit ?? end
            if syncedMark.load(ordering: .relaxed) >= target { return }
            do throws(FileSystemError) { try file.syncFully() } catch { throw fail(StoreError(error)) }
            syncedMark.store(target, ordering: .releasing)
        }
    }

    /// Ends the log behind its last frame: gives back the space that was reserved and not used, and syncs. Appends
    /// are refused from now on; the file stays open. By the caller that appends.
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
            do {
                try retryingInterrupted { () throws(FileSystemError) in try file.truncate(to: end) }
            } catch {
                throw fail(StoreError(error))
            }
        }
        try sync()
    }

    /// Closes the file in good order: a close frame, ``seal()``, and the file itself. By the caller that appends.
    /// - Throws: as ``sync()``.
    func close() throws(StoreError) {
        do {
            try append(frame: .close)
        } catch {
            // A full disk has no room for the frame, and need not: without it the log reads the same.
            guard error.code == .noSpace || error.code == .closed else { throw error }
        }
        try closeAsItIs()
    }

    /// Closes the file without a close frame: one that was closed before, and has not grown. By the caller that appends.
    /// - Throws: as ``sync()``.
    func closeAsItIs() throws(StoreError) {
        try seal()
        try storeErrors { () throws(FileSystemError) in try file.close() }
    }
}
