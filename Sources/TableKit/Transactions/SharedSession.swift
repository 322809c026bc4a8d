import Foundation

// `@unchecked Sendable`: the lock guards the session and the scopes. The lock is recursive, because a type may read the
// database while it is decoded. It is never held across a suspension.
/// A session shared by the tasks of one transaction, with its open scopes.
package final class SharedSession: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private var session: (any TableSession)?
    /// The transaction, followed by its open nested transactions.
    private var scopes: [ObjectIdentifier] = []

    package init(_ session: any TableSession) { self.session = session }

    /// Runs `body` on the session, within the outermost scope.
    func use<R>(_ body: (any TableSession) throws -> R) throws -> R {
        try lock.withLock { try body(try current()) }
    }

    /// Runs `body` on the session, within a scope.
    /// - Throws: ``TableErrorCode/transaction`` if the scope has ended, or, for a change, if a nested transaction is
    ///   open, whose rollback would undo the change.
    func use<R>(
        _ scope: TransactionScope, isChange: Bool, _ body: (any TableSession) throws -> R
    ) throws -> R {
        try lock.withLock {
            let session = try current()
            guard let place = scopes.lastIndex(of: ObjectIdentifier(scope)) else { throw Self.hasEnded }
            if isChange {
                if scope.isReadOnly {
                    throw CRUDSQLExeError("Changes are not possible where one state is read.", code: .transaction)
                }
                if place != scopes.count - 1 { throw Self.isNested }
            }
            return try body(session)
        }
    }

    /// Opens the outermost scope.
    func open(_ scope: TransactionScope) { lock.withLock { scopes = [ObjectIdentifier(scope)] } }

    /// Opens a nested scope.
    /// - Returns: the savepoint for its rollback.
    func open(_ scope: TransactionScope, in outer: TransactionScope) throws -> Savepoint {
        try use(outer, isChange: true) { session in
            let savepoint = try session.savepoint()
            scopes.append(ObjectIdentifier(scope))
            return savepoint
        }
    }

    /// Ends a nested scope, and the scopes that other tasks opened within it.
    func close(_ scope: TransactionScope, rollingBackTo savepoint: Savepoint?) throws {
        try lock.withLock {
            guard let place = scopes.lastIndex(of: ObjectIdentifier(scope)) else { return }
            scopes.removeSubrange(place...)
            if let savepoint { try current().rollback(to: savepoint) }
        }
    }

    /// Ends all scopes and returns the session; nil if it has ended before.
    private func take() -> (any TableSession)? {
        lock.withLock {
            defer {
                session = nil
                scopes = []
            }
            return session
        }
    }

    func commit() throws {
        guard let session = take() else { throw Self.hasEnded }
        try session.commit()
    }

    func rollback() { take()?.rollback() }

    /// Ends all scopes without ending the session.
    func detach() { _ = take() }

    // MARK: In tasks

    /// Opens a nested scope, where that may block.
    /// - Returns: the savepoint for its rollback.
    func open(
        _ scope: TransactionScope, in outer: TransactionScope, on engine: any TableEngine
    ) async throws -> Savepoint {
        try await engine.performInTransaction { try self.open(scope, in: outer) }
    }

    /// Ends a nested scope, and the scopes that other tasks opened within it. Blocks no thread of the cooperative pool
    /// while another task's statement uses the session.
    func close(_ scope: TransactionScope, on engine: any TableEngine) async throws {
        let isClosed = try ifFree { try close(scope, rollingBackTo: nil) } != nil
        if !isClosed { try await close(scope, rollingBackTo: nil, on: engine) }
    }

    /// As the synchronous form, where that may block.
    func close(
        _ scope: TransactionScope, rollingBackTo savepoint: Savepoint?, on engine: any TableEngine
    ) async throws {
        try await engine.performInTransaction { try self.close(scope, rollingBackTo: savepoint) }
    }

    /// Ends all scopes and commits, suspending for the disk or the network.
    func commit(on engine: any TableEngine) async throws {
        let session = if let taken = ifFree(take) { taken } else { try await takeWhenFree(on: engine) }
        guard let session else { throw Self.hasEnded }
        try await session.commit()
    }

    /// Ends all scopes and rolls back, where that may block.
    func rollback(on engine: any TableEngine) async {
        do { try await engine.performInTransaction { self.rollback() } } catch {
            CRUDLogging.log(.error, "A transaction could not be rolled back: \(error)")
        }
    }

    /// Runs `body` under the lock; nil if another thread has it.
    private func ifFree<R>(_ body: () throws -> R) rethrows -> R? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return try body()
    }

    private func takeWhenFree(on engine: any TableEngine) async throws -> (any TableSession)? {
        let taken = Taken()
        try await engine.performInTransaction { taken.session = self.take() }
        return taken.session
    }

    /// Moves the session to the committing task, its only user.
    private final class Taken: @unchecked Sendable { var session: (any TableSession)? }

    private func current() throws -> any TableSession {
        guard let session else { throw Self.hasEnded }
        return session
    }

    private static var hasEnded: CRUDSQLExeError {
        CRUDSQLExeError("The transaction has ended: a task that it started still uses it.", code: .transaction)
    }

    private static var isNested: CRUDSQLExeError {
        CRUDSQLExeError(
            "A nested transaction of another task is open, whose rollback would take this change back.",
            code: .transaction)
    }
}
