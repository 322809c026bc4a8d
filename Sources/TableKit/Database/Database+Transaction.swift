extension DatabaseProtocol {
    /// Runs `body` as one transaction: all of its changes, or none where it throws.
    ///
    /// Statements in `body` use the database as they do outside. A transaction within a transaction is a savepoint: where
    /// it throws, its changes alone are taken back. Tasks that `body` starts and awaits belong to the transaction; one that
    /// outlives it gets an error of ``TableErrorCode/transaction``.
    /// - Parameters:
    ///   - mode: how it keeps away from other transactions. That of the outermost counts.
    ///   - body: the statements. With ``TransactionMode/concurrent(retries:)``, and on servers, it may run several times.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, and what beginning and committing throw.
    @discardableResult
    @_disfavoredOverload
    public func transaction<R>(_ mode: TransactionMode = .serial, _ body: () throws -> R) throws -> R {
        // Disfavored as an overload: else a task would get this form, which blocks, for every body that does not wait itself.
        let engine = engine
        if let outer = TransactionScope.current(of: engine) { return try nested(in: outer, body) }
        return try ConflictRetry.run(engine, mode) { try once(engine, mode, body) }
    }

    /// As the synchronous form, for a body that suspends. Waits for other transactions and for the disk by suspending.
    /// Cancellation ends it where `body` notices it; a commit is never interrupted.
    @discardableResult
    public func transaction<R>(_ mode: TransactionMode = .serial, _ body: () async throws -> R) async throws -> R {
        let engine = engine
        if let outer = TransactionScope.current(of: engine) { return try await nested(in: outer, body) }
        return try await ConflictRetry.run(engine, mode) { try await once(engine, mode, body) }
    }

    /// Runs `body` on one state of the database: its reads all see the same. It changes nothing and waits for no writer.
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
        let scope = TransactionScope(engine, session)
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
        let scope = TransactionScope(engine, session)
        session.open(scope)
        let result: R
        do { result = try await TransactionScope.$innermost.withValue(scope) { try await body() } } catch {
            session.rollback()
            throw error
        }
        try await session.commit()
        return result
    }

    private func nested<R>(in outer: TransactionScope, _ body: () throws -> R) throws -> R {
        let scope = TransactionScope(outer.engine, outer.session)
        let savepoint = try outer.session.open(scope, in: outer)
        let result: R
        do { result = try TransactionScope.$innermost.withValue(scope) { try body() } } catch {
            try rollBack(scope, to: savepoint, after: error)
        }
        try outer.session.close(scope, rollingBackTo: nil)
        return result
    }

    private func nested<R>(in outer: TransactionScope, _ body: () async throws -> R) async throws -> R {
        let scope = TransactionScope(outer.engine, outer.session)
        let savepoint = try outer.session.open(scope, in: outer)
        let result: R
        do { result = try await TransactionScope.$innermost.withValue(scope) { try await body() } } catch {
            try rollBack(scope, to: savepoint, after: error)
        }
        try outer.session.close(scope, rollingBackTo: nil)
        return result
    }

    /// Takes a nested transaction back and throws its error: that of the rollback, which the log has, must not hide it.
    private func rollBack(_ scope: TransactionScope, to savepoint: Savepoint, after error: any Error) throws -> Never {
        do { try scope.session.close(scope, rollingBackTo: savepoint) } catch {
            CRUDLogging.log(.error, "A nested transaction could not be taken back: \(error)")
            scope.session.rollback()
        }
        throw error
    }
}

/// Runs `body` with a session that all its reads use.
func reading<R>(_ engine: any TableEngine, _ session: SharedSession, _ body: () throws -> R) throws -> R {
    let scope = TransactionScope(engine, session, isReadOnly: true)
    session.open(scope)
    return try TransactionScope.$innermost.withValue(scope) { try body() }
}
