extension KeyValueStore {
    /// Starts a transaction. It ends with `Transaction.commit()` or ``Transaction/rollback()``.
    ///
    /// The caller handles conflicts. `transaction(_:)` is easier, because it retries.
    /// - Parameters:
    ///   - isolation: which changes of other writers are conflicts.
    ///   - durability: when the commit returns; nil for the default of the store.
    /// - Returns: a transaction on the current state. If the store is closed, its reads throw
    ///   ``StoreError/Code/closed``.
    public func begin(
        isolation: Transaction.Isolation = .serializable, durability: Durability? = nil
    ) -> Transaction {
        Transaction(self, isolation: isolation, durability: durability)
    }

    /// Runs `body` in a transaction, and commits the transaction.
    ///
    /// If the commit has a conflict, `body` runs again in a new transaction. So it should have no effects outside of
    /// the transaction. The pauses between attempts become longer. From the fourth attempt on, the commits of other
    /// transactions usually wait until this one has ended, but each for ten milliseconds at most.
    /// - Parameters:
    ///   - isolation: which changes of other writers are conflicts.
    ///   - durability: when the commit returns; nil for the default of the store.
    ///   - attempts: the largest number of times that `body` runs; less than 1 counts as 1.
    ///   - body: reads and writes. It may end the transaction itself; then nothing more is committed.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `body`, after which its writes are dropped unless it has committed them;
    ///   ``StoreError/Code/conflict`` after the last attempt; the errors of `Transaction.commit()`.
    @_disfavoredOverload
    public func transaction<R>(
        isolation: Transaction.Isolation = .serializable, durability: Durability? = nil, attempts: Int = 100,
        _ body: (Transaction) throws -> R
    ) throws -> R {
        // Disfavored as an overload. Otherwise a task would use this form for every body without an `await`, and block
        // its thread.
        var retry = TransactionRetry(attempts: attempts)
        var hasTurn = false
        defer { if hasTurn { engine.retryTurn.release() } }
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

    /// Runs `body` in a transaction, and commits the transaction; see `transaction(_:)`. Blocks no thread of the
    /// cooperative pool. Cancellation stops neither a commit nor the attempts after a conflict.
    public func transaction<R>(
        isolation: Transaction.Isolation = .serializable, durability: Durability? = nil, attempts: Int = 100,
        _ body: (Transaction) async throws -> R
    ) async throws -> R {
        var retry = TransactionRetry(attempts: attempts)
        var hasTurn = false
        defer { if hasTurn { engine.retryTurn.release() } }
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
                // In a cancelled task, `Task.sleep` would throw instead of pausing.
                if pause > 0 { try await BlockingWork.run { Platform.sleep(microseconds: pause) } }
            }
        }
    }
}
