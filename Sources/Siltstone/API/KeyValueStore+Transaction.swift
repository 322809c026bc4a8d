extension KeyValueStore {
    /// Begins a transaction, which ends by `Transaction.commit()` or ``Transaction/rollback()``.
    ///
    /// The caller handles conflicts: see `transaction(_:)` for the easier way.
    /// - Parameters:
    ///   - isolation: which changes by others are conflicts.
    ///   - durability: when the commit returns; nil: as the store was opened.
    public func begin(
        isolation: Transaction.Isolation = .serializable, durability: Durability? = nil
    ) -> Transaction {
        Transaction(self, isolation: isolation, durability: durability)
    }

    /// Runs `body` in a transaction, and commits it.
    ///
    /// If a conflict stops the commit, `body` runs again in a new transaction, after a pause that grows; so it should
    /// change nothing but the transaction. From the fourth attempt on, the commits of other transactions give way.
    /// - Parameters:
    ///   - isolation: which changes by others are conflicts.
    ///   - durability: when the commit returns; nil: as the store was opened.
    ///   - attempts: how often `body` runs at most; at least 1.
    ///   - body: reads and writes. It may end the transaction itself; then nothing more is committed.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, after which nothing is left of its writes; ``StoreError/Code/conflict`` after the last
    ///   attempt; the errors of `Transaction.commit()`.
    @_disfavoredOverload
    public func transaction<R>(
        isolation: Transaction.Isolation = .serializable, durability: Durability? = nil, attempts: Int = 100,
        _ body: (Transaction) throws -> R
    ) throws -> R {
        // Disfavored as an overload: else a task would get this form for every body that does not wait itself, and block
        // its thread.
        var retry = TransactionRetry(attempts: attempts)
        var hasTurn = false
        defer { if hasTurn { engine.retryTurn.give() } }
        while true {
            if !hasTurn, retry.needsTurn { hasTurn = engine.retryTurn.take() }
            let transaction = Transaction(self, isolation: isolation, durability: durability, hasTurn: hasTurn)
            let result: R
            do { result = try body(transaction) } catch {
                transaction.rollback()
                throw error
            }
            guard transaction.isActive else { return result }
            do throws(StoreError) {
                try transaction.commit()
                return result
            } catch {
                let pause = try retry.next(after: error)
                if pause > 0 { Platform.sleep(microseconds: pause) }
            }
        }
    }

    /// Runs `body` in a transaction, and commits it; see `transaction(_:)`. Blocks no thread
    /// of the cooperative pool. Cancellation does not stop a commit.
    public func transaction<R>(
        isolation: Transaction.Isolation = .serializable, durability: Durability? = nil, attempts: Int = 100,
        _ body: (Transaction) async throws -> R
    ) async throws -> R {
        var retry = TransactionRetry(attempts: attempts)
        var hasTurn = false
        defer { if hasTurn { engine.retryTurn.give() } }
        while true {
            if !hasTurn, retry.needsTurn { hasTurn = await engine.retryTurn.take() }
            let transaction = Transaction(self, isolation: isolation, durability: durability, hasTurn: hasTurn)
            let result: R
            do { result = try await body(transaction) } catch {
                transaction.rollback()
                throw error
            }
            guard transaction.isActive else { return result }
            do throws(StoreError) {
                try await transaction.commit()
                return result
            } catch {
                let pause = try retry.next(after: error)
                if pause > 0 { try await reads.blocking.run { Platform.sleep(microseconds: pause) } }
            }
        }
    }
}
