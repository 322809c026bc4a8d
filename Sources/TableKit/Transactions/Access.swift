/// How a statement reaches the database: by the transaction that it is in, else by a session of its own.
struct Access: Sendable {
    let engine: any TableEngine
    let scope: TransactionScope?

    /// The access of a statement that is made now, in this task.
    init(_ engine: any TableEngine) {
        self.engine = engine
        scope = TransactionScope.current(of: engine)
    }

    /// Reads.
    func read<R>(_ body: (any TableSession) throws -> R) throws -> R {
        if let scope { return try scope.session.use(scope, isChange: false, body) }
        let session = try engine.beginReadStatement()
        defer { session.rollback() }
        return try body(session)
    }

    /// Makes one change, which outside of a transaction is one by itself.
    func change<R>(_ body: (any TableSession) throws -> R) throws -> R {
        if let scope { return try scope.session.use(scope, isChange: true, body) }
        return try ConflictRetry.run(engine, .serial) { try engine.beginChange().commit(body) }
    }

    /// As ``change(_:)``, for several statements that are one change together.
    func changeAll<R>(_ body: (any TableSession) throws -> R) throws -> R {
        guard let scope else {
            return try ConflictRetry.run(engine, .serial) { try engine.begin(.serial).commit(body) }
        }
        return try scope.session.use(scope, isChange: true) { session in
            let savepoint = try session.savepoint()
            do { return try body(session) } catch {
                try session.rollback(to: savepoint)
                throw error
            }
        }
    }

    /// As `read`, where waiting is allowed.
    func read<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R {
        try Task.checkCancellation()
        return try await engine.perform { try self.read(body) }
    }

    /// As `change`, where waiting is allowed.
    func change<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R {
        try Task.checkCancellation()
        if scope != nil { return try await engine.perform { try self.change(body) } }
        return try await engine.makingChange(body)
    }

    /// As `changeAll`, where waiting is allowed.
    func changeAll<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R {
        guard scope != nil else { return try await engine.inTransaction(body) }
        return try await engine.perform { try self.changeAll(body) }
    }

    /// Makes an index: in the transaction that the statement is in, else beside writers.
    func buildIndex(_ definition: IndexDefinition) throws {
        guard scope != nil else { return try engine.buildIndex(definition) }
        try change { try $0.alter(.createIndex(definition)) }
    }

    /// As `buildIndex`, where waiting is allowed.
    func buildIndex(_ definition: IndexDefinition) async throws {
        try Task.checkCancellation()
        try await engine.perform { try self.buildIndex(definition) }
    }
}
