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
                let rows = rows
                let source = source ?? BatchSource { try QueryCursor(rows.access, rows.description) }
                self.source = source
                position = 0
                guard let next = try await rows.access.engine.perform({ try source.next() }) else {
                    batch = []
                    return nil
                }
                batch = next
            }
            defer { position += 1 }
            return batch[position]
        }
    }
}

/// A cursor that worker threads use one after the other.
// `@unchecked Sendable`: the cursor is touched under the lock.
private final class BatchSource<T: Decodable & Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private let start: @Sendable () throws -> QueryCursor<T>
    private var cursor: QueryCursor<T>?

    init(_ start: @escaping @Sendable () throws -> QueryCursor<T>) { self.start = start }

    /// The next batch, or nil at the end.
    func next() throws -> [T]? {
        try lock.withLock {
            let cursor = try cursor ?? start()
            self.cursor = cursor
            var items: [T] = []
            return try cursor.next(into: &items) ? items : nil
        }
    }
}
