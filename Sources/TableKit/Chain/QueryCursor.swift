/// A query that runs: its session, its stream, its decoder. Used by one thread at a time.
final class QueryCursor<T: Decodable> {
    private let access: Access
    private let decoder: BatchDecoder<T>
    /// The cursor's own session, where it runs outside of a transaction. Ends with the cursor.
    private var own: (any TableSession)?
    private var stream: (any RowStream)?

    /// Runs a query.
    init(_ access: Access, _ description: QueryDescription) throws {
        CRUDLogging.logQuery("\(description.query)")
        self.access = access
        decoder = description.decoder(T.self)
        if let scope = access.scope {
            stream = try scope.session.use(scope, isChange: false) { try $0.run(description.query) }
        } else {
            let session = try access.engine.beginReadStatement()
            own = session
            stream = try session.run(description.query)
        }
    }

    deinit { own?.rollback() }

    /// Appends the objects of the next batch.
    /// - Returns: false at the end.
    func next(into items: inout [T]) throws -> Bool {
        guard let batch = try nextBatch() else { return false }
        try decoder.decode(batch, into: &items)
        return true
    }

    /// Puts the objects of the next batch into an empty queue.
    /// - Returns: false at the end.
    func next(into items: ItemQueue<T>) throws -> Bool {
        guard let batch = try nextBatch() else { return false }
        try decoder.decode(batch, into: items)
        return true
    }

    private func nextBatch() throws -> RowBatch? {
        guard let stream else { return nil }
        let batch =
            if let scope = access.scope {
                try scope.session.use(scope, isChange: false) { _ in try stream.next() }
            } else {
                try stream.next()
            }
        if batch == nil { end() }
        return batch
    }

    /// The rest of the result.
    func all(unless cancellation: CancellationFlag? = nil) throws -> [T] {
        defer { end() }
        var items: [T] = []
        try cancellation?.check()
        while try next(into: &items) { try cancellation?.check() }
        return items
    }

    /// Ends the query and its session. Again: does nothing.
    func end() {
        stream = nil
        own?.rollback()
        own = nil
    }
}
