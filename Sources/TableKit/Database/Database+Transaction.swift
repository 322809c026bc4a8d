extension DatabaseProtocol {
    /// Runs `body` as one transaction. Commits all of its changes, or none if it throws.
    ///
    /// Statements in `body` use the database as they do outside. A nested transaction is a savepoint: if it throws,
    /// only its own changes are rolled back. Tasks that `body` starts and awaits belong to the transaction. A task that
    /// outlives it gets an error of ``TableErrorCode/transaction``.
    /// - Parameters:
    ///   - mode: the isolation from other transactions. The outermost transaction's mode applies.
    ///   - body: the statements. It may rerun with ``TransactionMode/concurrent(retries:)``, and on servers.
    /// - Returns: what `body` returns.
    /// - Throws: the errors of `body`, of beginning and of committing.
    @discardableResult
    @_disfavoredOverload
    public func transaction<R>(_ mode: TransactionMode = .serial, _ body: () throws -> R) throws -> R {
        // Disfavored as an overload: otherwise a task would get this blocking form for every body without `await`.
        let engine = engine
        if let outer = TransactionScope.current(of: engine) { return try nested(in: outer, body) }
        return try ConflictRetry.run(engine, mode) { try once(engine, mode, body) }
    }

    /// As the synchronous form, for a body that suspends. Suspends while it waits for other transactions and for the
    /// disk. Cancellation ends the wait for other transactions, and the transaction where `body` checks for it; a commit
    /// is never interrupted.
    @discardableResult
    public func transaction<R>(_ mode: TransactionMode = .serial, _ body: () async throws -> R) async throws -> R {
        let engine = engine
        if let outer = TransactionScope.current(of: engine) { return try await nested(in: outer, body) }
        return try await ConflictRetry.run(engine, mode) { try await once(engine, mode, body) }
    }

    /// Runs `body` on one snapshot of the database: all reads see the same state. Read-only; waits for no writer.
    @discardableResult
    public func read<R>(_ body: () throws -> R) throws -> R {
        let engine = engine
        if TransactionScope.current(of: engine) != nil { return try body() }
        let session = SharedSession(try engine.beginRead())
        defer { session.rollback() }
        return try reading(engine, session, body)
    }

    private func once<R>(_ engine: any TableEngine, _ mode: TransactionMode, _ body: () throws -> R) throws -> R {
        let session = SharedSession(try engine.begin(mode))
        let scope = TransactionScope(engine, session, isSerial: mode == .serial)
        session.open(scope)
        let result: R
        do { result = try TransactionScope.$innermost.withValue(scope) { try body() } } catch {
            session.rollback()
            throw error
        }
        try session.commit()
        return result
    }

    private func once<R>(
        _ engine: any TableEngine, _ mode: TransactionMode, _ body: () async throws -> R
    ) async throws -> R {
        let session = SharedSession(try await engine.begin(mode))
        let scope = TransactionScope(engine, session, isSerial: mode == .serial)
        session.open(scope)
        let result: R
        do { result = try await TransactionScope.$innermost.withValue(scope) { try await body() } } catch {
            await TransactionScope.$innermost.withValue(scope) { await session.rollback(on: engine) }
            throw error
        }
        // Within the scope, too: it tells the engine whose work this is.
        try await TransactionScope.$innermost.withValue(scope) { try await session.commit(on: engine) }
        return result
    }

    private func nested<R>(in outer: TransactionScope, _ body: () throws -> R) throws -> R {
        let scope = TransactionScope(outer.engine, outer.session, isSerial: outer.isSerial)
        let savepoint = try outer.session.open(scope, in: outer)
        let result: R
        do { result = try TransactionScope.$innermost.withValue(scope) { try body() } } catch {
            try rollBack(scope, to: savepoint, after: error)
        }
        try outer.session.close(scope, rollingBackTo: nil)
        return result
    }

    private func nested<R>(in outer: TransactionScope, _ body: () async throws -> R) async throws -> R {
        let scope = TransactionScope(outer.engine, outer.session, isSerial: outer.isSerial)
        let engine = outer.engine
        let savepoint = try await outer.session.open(scope, in: outer, on: engine)
        let result: R
        do { result = try await TransactionScope.$innermost.withValue(scope) { try await body() } } catch {
            await rollBack(scope, to: savepoint, on: engine)
            throw error
        }
        try await outer.session.close(scope, on: engine)
        return result
    }

    /// Rolls a nested transaction back and rethrows its error. Logs an error of the rollback: it must not hide it.
    private func rollBack(_ scope: TransactionScope, to savepoint: Savepoint, after error: any Error) throws -> Never {
        do { try scope.session.close(scope, rollingBackTo: savepoint) } catch {
            CRUDLogging.log(.error, "A nested transaction could not be taken back: \(error)")
            scope.session.rollback()
        }
        throw error
    }

    /// Rolls a nested transaction back. If that fails, rolls back the whole transaction, so that no part is stored.
    private func rollBack(_ scope: TransactionScope, to savepoint: Savepoint, on engine: any TableEngine) async {
        do {
            try await scope.session.close(scope, rollingBackTo: savepoint, on: engine)
        } catch {
            CRUDLogging.log(.error, "A nested transaction could not be taken back: \(error)")
            await scope.session.rollback(on: engine)
        }
    }
}

/// Runs `body` with a read session that all of its statements share.
func reading<R>(_ engine: any TableEngine, _ session: SharedSession, _ body: () throws -> R) throws -> R {
    let scope = TransactionScope(engine, session, isReadOnly: true)
    session.open(scope)
    return try TransactionScope.$innermost.withValue(scope) { try body() }
}
