extension WritePath {
    /// Commits a batch; see ``commit(_:mayBlock:apply:)``.
    func commit(
        _ batch: WriteBatch, _ check: CommitCheck?, mayBlock: Bool = true
    ) throws(StoreError) -> SequenceNumber? {
        try commit(check, mayBlock: mayBlock) { check throws(StoreError) in
            try write(batch, mayBlock: mayBlock, check: check)
        }
    }

    /// Applies the writes of a transaction if the check allows it. A large check first covers most changes without the
    /// write lock, and does so again if its verdict under the lock is ``CommitCheck/Verdict/outdated``.
    /// - Parameters:
    ///   - check: nil if nothing must be unchanged.
    ///   - mayBlock: false if the caller cannot wait for a flush or the disk. Then nil is returned if waiting is
    ///     necessary, and nothing was done.
    ///   - apply: applies the writes after it has asked ``isUnchanged(_:)`` under the write lock; returns nil if it would
    ///     have to wait.
    /// - Returns: the last sequence number of the commit.
    /// - Throws: ``StoreError/Code/conflict``, the errors of a write, and the errors of reading segments.
    func commit(
        _ check: CommitCheck?, mayBlock: Bool = true,
        apply: (CommitCheck?) throws(StoreError) -> SequenceNumber?
    ) throws(StoreError) -> SequenceNumber? {
        guard let check else { return try apply(nil) }
        defer { check.end(feed) }
        while true {
            if !check.isSmall {
                if !mayBlock, check.readsFiles(reads) { return nil }
                let isUnchanged = try check.advance(reads, feed) { subscribeToChanges().position }
                if !isUnchanged { throw conflict() }
            }
            guard let sequence = try apply(check) else { return nil }
            switch check.verdict {
            case .unchanged: return sequence
            case .conflict: throw conflict()
            case .outdated:
                // A later check may read from the disk, under the lock too.
                if !mayBlock { return nil }
            }
        }
    }

    /// True if nothing in the check's set was changed. The caller holds the write lock.
    func isUnchanged(_ check: CommitCheck) throws(StoreError) -> Bool {
        try check.decide(last: state.lastSequence, flushed: state.flushedSequence, reads, feed) == .unchanged
    }

    private func conflict() -> StoreError {
        lock.withLock { state.counts.conflicts += 1 }
        return StoreError(
            .conflict,
            "another commit changed a key or range that the transaction has read or writes; nothing was written: "
                + "run the transaction again",
            file: status.directory)
    }
}
