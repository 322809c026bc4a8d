import Foundation

// `@unchecked Sendable`: the lock guards the session and the scopes. The lock is recursive, because a type may read the
// database while it is decoded. It is never held across a suspension.
/// A session shared by the tasks of one transaction, with its open scopes.
package final class SharedSession: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private var session: (any TableSession)?
    /// The transaction, followed by its open nested transactions, each with the savepoint of its begin.
    private var scopes: [(scope: ObjectIdentifier, start: Savepoint?)] = []

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
            guard let place = place(of: scope) else { throw Self.hasEnded }
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
    func open(_ scope: TransactionScope) { lock.withLock { scopes = [(ObjectIdentifier(scope), nil)] } }

    /// Opens a nested scope.
    /// - Returns: the savepoint for its rollback.
    func open(_ scope: TransactionScope, in outer: TransactionScope) throws -> Savepoint {
        try use(outer, isChange: true) { session in
            let savepoint = try session.savepoint()
            scopes.append((ObjectIdentifier(scope), savepoint))
            return savepoint
        }
    }

    /// Ends a nested scope. The scopes that other tasks opened within it end without their changes.
    /// - Parameter savepoint: undoes the changes of the scope. Nil: keeps them.
    /// - Throws: ``TableErrorCode/transaction`` if the changes cannot be kept: an outer scope has ended and undone them.
    func close(_ scope: TransactionScope, rollingBackTo savepoint: Savepoint?) throws {
        try lock.withLock {
            guard let place = place(of: scope) else {
                if savepoint == nil { throw Self.hasEnded }
                return
            }
            guard let savepoint else {
                try undo(from: place + 1)
                return scopes.removeSubrange(place...)
            }
            scopes.removeSubrange(place...)
            try current().rollback(to: savepoint)
        }
    }

    private func place(of scope: TransactionScope) -> Int? {
        scopes.lastIndex { $0.scope == ObjectIdentifier(scope) }
    }

    /// Ends the nested scopes from a place on, without their changes: their tasks have not ended them, so only a part
    /// of the changes may have been made. If that fails, rolls back the whole transaction.
    private func undo(from place: Int) throws {
        guard place < scopes.count, let start = scopes[place].start else { return }
        scopes.removeSubrange(place...)
        do { try current().rollback(to: start) } catch {
            rollback()
            throw error
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

    /// As ``take()``, without the changes of nested scopes that other tasks have not ended.
    private func takeComplete() throws -> (any TableSession)? {
        try lock.withLock {
            try undo(from: 1)
            return take()
        }
    }

    func commit() throws {
        guard let session = try takeComplete() else { throw Self.hasEnded }
        try session.commit()
    }

    func rollback() { take()?.rollback() }

    /// Ends all scopes without ending the session.
    func detach() { _ = take() }

    /// As ``detach()``, where the caller goes on to commit. Undoes nested scopes that other tasks have not ended.
    func giveBack() throws { if try takeComplete() == nil { throw Self.hasEnded } }

    // MARK: In tasks
    // None of these blocks a thread of the cooperative pool while another task's statement uses the session, or while a
    // server answers.

    /// Opens a nested scope, where that may block.
    /// - Returns: the savepoint for its rollback.
    func open(
        _ scope: TransactionScope, in outer: TransactionScope, on engine: any TableEngine
    ) async throws -> Savepoint {
        try await perform(on: engine) { try self.open(scope, in: outer) }
    }

    /// Ends a nested scope. The scopes that other tasks opened within it end without their changes.
    func close(_ scope: TransactionScope, on engine: any TableEngine) async throws {
        let isClosed = ifFree {
            guard let last = scopes.last, last.scope == ObjectIdentifier(scope) else { return false }
            scopes.removeLast()
            return true
        }
        if isClosed != true { try await close(scope, rollingBackTo: nil, on: engine) }
    }

    /// As the synchronous form, where that may block.
    func close(
        _ scope: TransactionScope, rollingBackTo savepoint: Savepoint?, on engine: any TableEngine
    ) async throws {
        try await perform(on: engine) { try self.close(scope, rollingBackTo: savepoint) }
    }

    /// Ends all scopes and commits, suspending for the disk or the network.
    func commit(on engine: any TableEngine) async throws {
        // In line only if nothing must be undone: that may wait for the network.
        var session = ifFree { scopes.count > 1 ? nil : take() } ?? nil
        if session == nil { session = try await takeWhenFree(on: engine) }
        guard let session else { throw Self.hasEnded }
        try await session.commit()
    }

    /// Ends all scopes and rolls back, where that may block.
    func rollback(on engine: any TableEngine) async {
        do { try await perform(on: engine) { self.rollback() } } catch {
            CRUDLogging.log(.error, "A transaction could not be rolled back: \(error)")
        }
    }

    /// Runs work in line if it waits for nothing, else by the engine.
    private func perform<R: Sendable>(
        on engine: any TableEngine, _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        if !engine.waitsInTransactions, let result = try ifFree(work) { return result }
        return try await engine.performInTransaction(work)
    }

    /// Runs `body` under the lock; nil if another thread has it.
    private func ifFree<R>(_ body: () throws -> R) rethrows -> R? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return try body()
    }

    private func takeWhenFree(on engine: any TableEngine) async throws -> (any TableSession)? {
        let taken = Taken()
        try await perform(on: engine) { taken.session = try self.takeComplete() }
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
