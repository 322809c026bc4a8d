// Transactions whose owner keeps others away, and commits whose sync is awaited apart: for layers of this package.

extension KeyValueStore {
    /// Begins a transaction that looks for no conflicts. The caller sees to it that nobody else changes what it reads or
    /// writes until its commit has returned.
    package func beginExclusive(durability: Durability? = nil) -> Transaction {
        Transaction(self, isolation: .snapshot, durability: durability, isChecked: false)
    }

    /// Waits until all changes up to a number are as durable as asked. Shares its sync with all that wait at the time.
    /// - Parameters:
    ///   - sequence: what a commit that was not synced has returned.
    ///   - durability: nil: as the store was opened.
    /// - Throws: as a synced write. The change may or may not be there after the store was opened again.
    package func waitUntilDurable(_ sequence: UInt64, _ durability: Durability?) throws(StoreError) {
        try writes.waitUntilDurable(sequence, durability)
    }

    /// As the other form, suspending.
    package func waitUntilDurable(_ sequence: UInt64, _ durability: Durability?) async throws(StoreError) {
        try await writes.waitUntilDurable(sequence, durability)
    }

    /// Whether the store was opened for reading only.
    package var isReadOnly: Bool { engine.directory.configuration.readOnly }
}

extension Transaction {
    /// Whether the transaction has anything to commit.
    package var hasWrites: Bool {
        get throws(StoreError) { try mark().isBehindWrites }
    }
}
