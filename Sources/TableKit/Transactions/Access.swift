/// The access of a statement to the database: through its current transaction, else through a session of its own.
struct Access: Sendable {
    let engine: any TableEngine
    let scope: TransactionScope?

    /// The access of a statement that starts now, in this task.
    init(_ engine: any TableEngine) {
        self.engine = engine
        scope = TransactionScope.current(of: engine)
    }

    /// Reads in the current transaction, or in a read session of its own.
    func read<R>(_ body: (any TableSession) throws -> R) throws -> R {
        if let scope { return try scope.session.use(scope, isChange: false, body) }
        let session = try engine.beginReadStatement()
        defer { session.rollback() }
        return try body(session)
    }

    /// Makes one change. Outside of a transaction it commits by itself.
    func change<R>(_ body: (any TableSession) throws -> R) throws -> R {
        if let scope { return try scope.session.use(scope, isChange: true, body) }
        return try ConflictRetry.run(engine, .serial) { try engine.beginChange().commit(body) }
    }

    /// As ``change(_:)``, for several statements that must take effect together.
    func changeAll<R>(_ body: (any TableSession) throws -> R) throws -> R {
        guard let scope else {
            return try ConflictRetry.run(engine, .serial) { try engine.begin(.serial).commit(body) }
        }
        return try scope.session.use(scope, isChange: true) { session in
            let savepoint = try session.savepoint()
            do { return try body(session) } catch {
                do { try session.rollback(to: savepoint) } catch let second {
                    // The whole transaction ends: a part of the change must not be committed.
                    CRUDLogging.log(.error, "A part of a transaction could not be taken back: \(second)")
                    scope.session.rollback()
                }
                throw error
            }
        }
    }

    /// As `read`, for tasks.
    func read<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R {
        try Task.checkCancellation()
        return try await engine.perform { try self.read(body) }
    }

    /// As `change`, for tasks.
    func change<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R {
        try Task.checkCancellation()
        if scope != nil { return try await engine.perform { try self.change(body) } }
        return try await engine.makingChange(body)
    }

    /// As `changeAll`, for tasks.
    func changeAll<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R {
        try Task.checkCancellation()
        guard scope != nil else { return try await engine.inTransaction(body) }
        return try await engine.perform { try self.changeAll(body) }
    }

    /// Creates an index: in the current transaction, or outside of one beside other writers.
    func buildIndex(_ definition: IndexDefinition) throws {
        guard scope != nil else { return try engine.buildIndex(definition) }
        try change { try $0.alter(.createIndex(definition)) }
    }

    /// As `buildIndex`, for tasks.
    func buildIndex(_ definition: IndexDefinition) async throws {
        try Task.checkCancellation()
        try await engine.perform { try self.buildIndex(definition) }
    }
}
