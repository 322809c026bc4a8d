import Synchronization

extension Selectable where OverAllForm: Sendable {
    /// Observes the result: emits it now, and again after each commit that changes data it was read from.
    ///
    /// Each value reflects one committed state. Several commits may merge into one value, the last is never lost, and
    /// equal values may repeat. A slow reader does not slow writers: it skips to the newest value. The stream ends when
    /// the iterating task is cancelled. It throws ``TableErrorCode/unavailable`` when the database is closed.
    /// - Throws: ``CRUDSQLGenError`` if the chain is not valid. Iterating throws all other errors.
    public func values() throws -> AsyncThrowingStream<[OverAllForm], any Error> {
        let description = try describe()
        return try observations(engine, closing) { session in
            try description.run(in: session, OverAllForm.self)
        }
    }
}

extension Selectable where OverAllForm: Sendable & Equatable {
    /// As ``values()``, without values equal to the previous one.
    public func distinctValues() throws -> AsyncThrowingStream<[OverAllForm], any Error> {
        distinct(try values())
    }
}

/// Drops values equal to the one that was read before. Only the reader knows it: the buffer replaces values.
private func distinct<R: Sendable & Equatable>(
    _ stream: AsyncThrowingStream<R, any Error>
) -> AsyncThrowingStream<R, any Error> {
    let last = LastValue<R>()
    return AsyncThrowingStream {
        for try await value in stream where last.replace(by: value) {
            return value
        }
        return nil
    }
}

/// The value that was read last.
private final class LastValue<R: Sendable & Equatable>: Sendable {
    private let value = Mutex<R?>(nil)

    /// Replaces the value; false if the new one is equal. Compares and frees values outside of the lock: both run code of
    /// their type. Called by one reader at a time.
    func replace(by new: R) -> Bool {
        let old = value.withLock { value in
            defer { value = new }
            return value
        }
        return old != new
    }
}

extension DatabaseProtocol {
    /// Observes several queries on one snapshot: emits their result now, and again after each commit that changes data
    /// they read: `db.observe { (try people.count(), try cities.select().map { $0 }) }`.
    ///
    /// Otherwise as ``Selectable/values()``.
    /// - Parameter body: reads only. Runs on a thread that may block.
    public func observe<R: Sendable>(
        _ body: @escaping @Sendable () throws -> R
    ) throws -> AsyncThrowingStream<R, any Error> {
        let engine = engine
        return try observations(engine, closing) { session in
            let shared = SharedSession(session)
            defer { shared.detach() }
            return try reading(engine, shared, body)
        }
    }
}

extension QueryDescription {
    /// Returns the whole result.
    func run<T: Decodable>(in session: any TableSession, _ type: T.Type) throws -> [T] {
        let stream = try session.run(query)
        let decoder = decoder(type)
        var items: [T] = []
        while let batch = try stream.next() { try decoder.decode(batch, into: &items) }
        return items
    }
}

/// Emits the results of `body` now and after each commit that changes data it read.
private func observations<R: Sendable>(
    _ engine: any TableEngine, _ closing: ClosingSignal?,
    _ body: @escaping @Sendable (any TableSession) throws -> R
) throws -> AsyncThrowingStream<R, any Error> {
    if TransactionScope.current(of: engine) != nil {
        throw CRUDSQLGenError(
            "An observation is of committed states: begin it outside of transactions.", code: .transaction)
    }
    // A buffer of one: the newest value replaces one that was not consumed.
    let (stream, continuation) = AsyncThrowingStream.makeStream(
        of: R.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
    // Detached: the task must not belong to a transaction of another database.
    let task = Task.detached {
        do {
            var patience = ObservationPatience()
            while true {
                do {
                    let (value, observation) = try await engine.perform { try engine.observe(body) }
                    defer { observation.cancel() }
                    patience.end()
                    continuation.yield(value)
                    try await observation.change()
                } catch let error as any TableError where error.code == .unavailable || error.code == .conflict {
                    let pause = try patience.pause(after: error, limit: engine.observationPatience, now: .now)
                    try await Task.sleep(for: pause)
                }
            }
        } catch {
            continuation.finish(throwing: error is CancellationError ? nil : error)
        }
    }
    // Other configurations may keep the engine open.
    let handler = closing?.add {
        continuation.finish(throwing: ClosedEngine.error)
        task.cancel()
    }
    continuation.onTermination = { _ in
        task.cancel()
        if let handler { closing?.remove(handler) }
    }
    return stream
}
