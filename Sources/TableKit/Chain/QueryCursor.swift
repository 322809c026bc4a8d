/// A running query: its session, its row stream and its decoder. Used by one thread at a time.
final class QueryCursor<T: Decodable> {
    private let access: Access
    private let decoder: BatchDecoder<T>
    /// The cursor's own session outside of a transaction; nil inside one. Ends with the cursor.
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

    deinit { end() }

    /// Whether the end of the cursor ends a session, too.
    var hasOwnSession: Bool { own != nil }

    /// Appends the objects of the next batch.
    /// - Returns: false at the end.
    func next(into items: inout [T]) throws -> Bool {
        guard let batch = try nextBatch() else { return false }
        try decoder.decode(batch, into: &items)
        return true
    }

    /// Appends the objects of the next batch to a queue, which must be empty.
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

    /// Returns the remaining objects.
    func all(unless cancellation: CancellationFlag? = nil) throws -> [T] {
        defer { end() }
        var items: [T] = []
        try cancellation?.check()
        while try next(into: &items) { try cancellation?.check() }
        return items
    }

    /// Ends the query and its session. A second call does nothing.
    func end() {
        // First the stream: it reads from the session.
        stream = nil
        own?.rollback()
        own = nil
    }
}
