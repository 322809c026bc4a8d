import Foundation

/// The result of a chain as an asynchronous sequence. Each iteration runs the query again and holds one batch.
public struct QueryRows<Element: Codable & Sendable>: AsyncSequence, Sendable {
    /// Iterating throws the errors of the engine and of decoding, and `CancellationError`.
    public typealias Failure = any Error

    let access: Access
    let description: QueryDescription

    init(_ access: Access, _ description: QueryDescription) {
        self.access = access
        self.description = description
    }

    /// Returns an iterator. The iterator runs the query when its first element is requested.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rows: self) }

    /// An iteration.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let rows: QueryRows<Element>
        private var source: BatchSource<Element>?
        private var batch: [Element] = []
        private var position = 0

        init(rows: QueryRows<Element>) { self.rows = rows }

        /// The next object, or nil at the end.
        public mutating func next() async throws -> Element? {
            while position == batch.count {
                try Task.checkCancellation()
                let source = source ?? BatchSource(rows)
                self.source = source
                // After an error, too, no object comes again.
                (batch, position) = ([], 0)
                guard let next = try await source.next() else { return nil }
                batch = next
            }
            defer { position += 1 }
            return batch[position]
        }
    }
}

/// A cursor that worker threads use one after the other.
// `@unchecked Sendable`: the cursor is touched under the lock.
private final class BatchSource<T: Codable & Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private let rows: QueryRows<T>
    private var cursor: QueryCursor<T>?

    init(_ rows: QueryRows<T>) { self.rows = rows }

    private var engine: any TableEngine { rows.access.engine }

    /// The next batch, or nil at the end.
    func next() async throws -> [T]? {
        // Only the first batch needs a connection: the cursor keeps it.
        if lock.withLock({ cursor == nil }) { return try await engine.perform { try self.read() } }
        return try await engine.performInTransaction { try self.read() }
    }

    private func read() throws -> [T]? {
        try lock.withLock {
            let cursor = try cursor ?? QueryCursor(rows.access, rows.description)
            self.cursor = cursor
            var items: [T] = []
            return try cursor.next(into: &items) ? items : nil
        }
    }

    /// Ends the cursor of an iteration that was left. That may wait for the network, and the task that drops the
    /// iterator may run on the cooperative pool.
    deinit {
        guard let cursor, cursor.hasOwnSession, engine.waitsInTransactions else { return }
        let engine = engine
        let moved = MovedCursor(cursor: cursor)
        Task.detached {
            do { try await engine.performInTransaction { moved.cursor.end() } } catch {
                CRUDLogging.log(.error, "The cursor of an iteration could not be closed: \(error)")
            }
        }
    }
}

/// Moves a cursor to another thread, which becomes its only user.
private struct MovedCursor<T: Decodable>: @unchecked Sendable {
    let cursor: QueryCursor<T>
}
