import Siltstone
import TableKit

/// The kind of a session, which determines its end.
enum SessionKind {
    /// Reads a snapshot.
    case read(Snapshot)
    /// Holds the transaction lock until its end.
    case serial
    /// Acquires the transaction lock for its commit.
    case concurrent
    /// Reads in a transaction that ``ReadWatch`` ends.
    case observed
    case ended

    /// True if the session holds the transaction lock.
    var hasTurn: Bool { if case .serial = self { true } else { false } }
}

extension SiltstoneSession {
    /// Makes the changes visible and durable. Waits for the sync without the lock, so that commits share it.
    func commit() throws {
        try mapped {
            guard let (transaction, isSerial) = try endingTransaction() else { return }
            if !isSerial { engine.turn.take() }
            guard let sequence = try apply(transaction, { try transaction.commit() }) else { return }
            try engine.store.waitUntilDurable(sequence, engine.durability)
        }
    }

    /// Makes the changes visible and releases the lock. The changes may not be durable yet.
    /// - Returns: the sequence number of the commit; nil if nothing was written.
    func commitWithoutWaiting() throws -> UInt64? {
        try mapped {
            guard let (transaction, isSerial) = try endingTransaction() else { return nil }
            if !isSerial { engine.turn.take() }
            return try apply(transaction) { try transaction.commit() }
        }
    }

    /// As the other ``commit()``, suspending.
    func commit() async throws {
        do {
            guard let (transaction, isSerial) = try endingTransaction() else { return }
            if !isSerial { await engine.turn.take() }
            guard let sequence = try await applyWithoutBlocking(transaction) else { return }
            try await engine.store.waitUntilDurable(sequence, engine.durability)
        } catch let error as StoreError { throw error.asTableError }
    }

    /// Undoes all changes.
    func rollback() {
        switch kind {
        case .read(let snapshot): snapshot.release()
        case .serial:
            transaction?.rollback()
            engine.turn.give()
        case .concurrent: transaction?.rollback()
        case .observed, .ended: break
        }
        kind = .ended
    }

    /// Ends the session if it has no writes.
    /// - Returns: nil if the session has ended, else its transaction, and whether it holds the transaction lock.
    private func endingTransaction() throws -> (Transaction, isSerial: Bool)? {
        switch kind {
        case .serial: return try writer().hasWrites ? (try writer(), true) : end()
        case .concurrent: return try writer().hasWrites ? (try writer(), false) : end()
        case .read, .observed: return end()
        case .ended: throw CRUDSQLExeError("The transaction has ended.", code: .transaction)
        }
    }

    private func end() -> (Transaction, isSerial: Bool)? {
        rollback()
        return nil
    }

    /// Commits under the transaction lock and releases it.
    /// - Returns: the sequence number of the commit, which is visible but may not be durable yet.
    private func apply(_ transaction: Transaction, _ commit: () throws -> UInt64) throws -> UInt64? {
        defer { giveTurn() }
        try engine.mark(markedTables, in: transaction)
        let changes = announce()
        do {
            let sequence = try commit()
            publish(changes, at: sequence)
            return sequence
        } catch {
            fail(changes)
            throw error
        }
    }

    /// As ``apply(_:_:)``. Suspends while the store reads from the disk or stalls writes.
    private func applyWithoutBlocking(_ transaction: Transaction) async throws -> UInt64? {
        defer { giveTurn() }
        let (tables, engine) = (markedTables, engine)
        if tables.contains(where: engine.rowNumbers.readsForMark) {
            try await engine.performInTurn { try engine.mark(tables, in: transaction) }
        } else {
            try engine.mark(tables, in: transaction)
        }
        let changes = announce()
        do {
            let sequence = try await transaction.commit(blockingOn: engine.turnQueue)
            publish(changes, at: sequence)
            return sequence
        } catch {
            fail(changes)
            throw error
        }
    }

    private func giveTurn() {
        kind = .ended
        engine.turn.give()
    }

    /// What a commit changes beside the store.
    private struct Changes {
        var schema: Bool
        /// Whether tables that were counted change.
        var counts: Bool
    }

    /// The tables of ``tablesToMark``.
    private var markedTables: [TableDescription] {
        tablesToMark.isEmpty ? [] : catalogue.ordered.filter { tablesToMark.contains($0.id) }
    }

    /// Announces the commit.
    private func announce() -> Changes {
        let changes = Changes(schema: catalogue !== firstCatalogue, counts: engine.rowCounts.begin(rowChanges))
        if changes.schema { engine.catalogues.begin() }
        return changes
    }

    private func publish(_ changes: Changes, at sequence: UInt64) {
        if changes.schema { engine.catalogues.publish(catalogue, since: sequence) }
        if changes.counts { engine.rowCounts.end(rowChanges, at: sequence) }
    }

    private func fail(_ changes: Changes) {
        if changes.schema { engine.catalogues.fail() }
        if changes.counts { engine.rowCounts.end(rowChanges, at: nil) }
    }
}

extension SiltstoneEngine {
    /// Adds the writes that need the transaction lock: the marks of row numbers.
    fileprivate func mark(_ tables: [TableDescription], in transaction: Transaction) throws {
        for table in tables {
            var mark = CatalogueWriter()
            mark.word(UInt64(bitPattern: try rowNumbers.mark(of: table, of: store)))
            try transaction.put(KeySpace.rowNumber(table.id), mark.bytes)
        }
    }
}
