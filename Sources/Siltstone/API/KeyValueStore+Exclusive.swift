// Transactions whose owner excludes other writers, commits whose sync is awaited separately, and three queries. Other
// layers of this package use them.

extension KeyValueStore {
    /// Starts a transaction whose commit does not check for conflicts. The caller must ensure that no other writer
    /// changes what it reads or writes until its commit has returned.
    /// - Parameter durability: nil for the default of the store. After a commit with ``Durability/buffered``, the
    ///   caller can wait with ``waitUntilDurable(_:_:)``.
    package func beginExclusive(durability: Durability? = nil) -> Transaction {
        Transaction(self, isolation: .snapshot, durability: durability, isChecked: false)
    }

    /// Waits until all changes up to a number are synced. Returns at once if the durability is not
    /// ``Durability/synced``. Callers that wait at the same time share syncs.
    /// - Parameters:
    ///   - sequence: the number that a commit returned; 0 for none.
    ///   - durability: nil for the default of the store.
    /// - Throws: the errors of a synced write. Then the change may or may not exist after the store is opened again.
    package func waitUntilDurable(_ sequence: UInt64, _ durability: Durability?) throws(StoreError) {
        try writes.waitUntilDurable(sequence, durability)
    }

    /// Like the synchronous form, without blocking the thread.
    package func waitUntilDurable(_ sequence: UInt64, _ durability: Durability?) async throws(StoreError) {
        try await writes.waitUntilDurable(sequence, durability)
    }

    /// Whether the store was opened for reading only.
    package var isReadOnly: Bool { engine.directory.configuration.readOnly }

    /// Whether opening has created the store. Then all of its files are those of this owner.
    package var isNew: Bool { engine.isNew }
}

extension Transaction {
    /// Whether the transaction has anything to commit.
    package var hasWrites: Bool {
        get throws(StoreError) { try mark().isBehindWrites }
    }
}
