import Foundation

// `@unchecked Sendable`: session and scopes are touched under the lock. The lock is recursive, as a type that is decoded
// may itself read the database. It is never held across a suspension.
/// A session that the tasks of one transaction may share, and the scopes that are open on it.
package final class SharedSession: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private var session: (any TableSession)?
    /// The transaction, and the nested ones within it that are open.
    private var scopes: [ObjectIdentifier] = []

    package init(_ session: any TableSession) { self.session = session }

    /// Runs `body` on the session, within the outermost scope.
    func use<R>(_ body: (any TableSession) throws -> R) throws -> R {
        try lock.withLock { try body(try current()) }
    }

    /// Runs `body` on the session, within a scope.
    /// - Throws: ``TableErrorCode/transaction`` where the scope has ended, or, for a change, where a nested transaction is
    ///   open, whose rollback would take the change with it.
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

    /// Opens a scope within another.
    /// - Returns: the state to which it rolls back.
    func open(_ scope: TransactionScope, in outer: TransactionScope) throws -> Savepoint {
        try use(outer, isChange: true) { session in
            let savepoint = try session.savepoint()
            scopes.append(ObjectIdentifier(scope))
            return savepoint
        }
    }

    /// Ends a nested scope, and those of other tasks within it.
    func close(_ scope: TransactionScope, rollingBackTo savepoint: Savepoint?) throws {
        try lock.withLock {
            guard let place = scopes.lastIndex(of: ObjectIdentifier(scope)) else { return }
            scopes.removeSubrange(place...)
            if let savepoint { try current().rollback(to: savepoint) }
        }
    }

    /// Ends all scopes and gives the session away. Nil after the end.
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

    func commit() async throws {
        guard let session = take() else { throw Self.hasEnded }
        try await session.commit()
    }

    func rollback() { take()?.rollback() }

    /// Ends all scopes and leaves the session to its owner.
    func detach() { _ = take() }

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
