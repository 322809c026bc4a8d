extension Engine {
    /// Applies the batch of a transaction, if the check allows it.
    /// - Parameters:
    ///   - check: nil where the transaction has read nothing that counts.
    ///   - mayBlock: whether the caller can wait for a flush or the disk; if not, nil is returned where that would be
    ///     needed, and nothing was done.
    /// - Returns: the last sequence number of the commit.
    /// - Throws: ``StoreError/Code/conflict``, and the errors of a write.
    func commit(
        _ batch: WriteBatch, _ check: CommitCheck?, mayBlock: Bool = true
    ) throws(StoreError) -> SequenceNumber? {
        guard let check else { return try write(batch, mayBlock: mayBlock) }
        defer { check.end(in: self) }
        while true {
            if !check.isSmall {
                if !mayBlock, check.readsFiles(in: self) { return nil }
                if try !check.advance(in: self) { throw conflict() }
            }
            guard let sequence = try write(batch, mayBlock: mayBlock, check: check) else { return nil }
            switch check.verdict {
            case .unchanged: return sequence
            case .conflict: throw conflict()
            case .outdated: continue
            }
        }
    }

    private func conflict() -> StoreError {
        writeLock.withLock { state.pointee.statistics.conflicts += 1 }
        return StoreError(
            .conflict,
            "another commit changed what the transaction has read; nothing was written: run the transaction again",
            file: directory)
    }
}
