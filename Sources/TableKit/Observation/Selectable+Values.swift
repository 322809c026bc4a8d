extension Selectable where OverAllForm: Sendable {
    /// The result now, and again after each commit that changes anything which it was made of.
    ///
    /// The first value comes at once. Each is that of one committed state. Several commits may become one value, the last is
    /// never lost, and the same value may come twice. A slow reader slows no writer: it gets the newest value. Ends when the
    /// task that iterates is cancelled.
    /// - Throws: ``CRUDSQLGenError`` where the chain does not fit together. Iterating throws all other errors.
    public func values() throws -> AsyncThrowingStream<[OverAllForm], any Error> {
        let description = try describe()
        return try observations(engine) { session in
            try description.run(in: session, OverAllForm.self)
        }
    }
}

extension Selectable where OverAllForm: Sendable & Equatable {
    /// As ``values()``, without values that equal the one before.
    public func distinctValues() throws -> AsyncThrowingStream<[OverAllForm], any Error> {
        let description = try describe()
        return try observations(engine, isSame: ==) { session in
            try description.run(in: session, OverAllForm.self)
        }
    }
}

extension DatabaseProtocol {
    /// The result of several queries on one state of the database, and again after each commit that changes anything which
    /// they read: `db.observe { (try people.count(), try cities.select().map { $0 }) }`.
    ///
    /// As ``Selectable/values()`` otherwise.
    /// - Parameter body: reads alone. Runs on a thread where waiting is allowed.
    public func observe<R: Sendable>(
        _ body: @escaping @Sendable () throws -> R
    ) throws -> AsyncThrowingStream<R, any Error> {
        let engine = engine
        return try observations(engine) { session in
            let shared = SharedSession(session)
            defer { shared.detach() }
            return try reading(engine, shared, body)
        }
    }
}

extension QueryDescription {
    /// The whole result.
    func run<T: Decodable>(in session: any TableSession, _ type: T.Type) throws -> [T] {
        let stream = try session.run(query)
        let decoder = decoder(type)
        var items: [T] = []
        while let batch = try stream.next() { try decoder.decode(batch, into: &items) }
        return items
    }
}

/// The results of `body` now and after each commit that changes what it read.
private func observations<R: Sendable>(
    _ engine: any TableEngine, isSame: (@Sendable (R, R) -> Bool)? = nil,
    _ body: @escaping @Sendable (any TableSession) throws -> R
) throws -> AsyncThrowingStream<R, any Error> {
    if TransactionScope.current(of: engine) != nil {
        throw CRUDSQLGenError(
            "An observation is of committed states: begin it outside of transactions.", code: .transaction)
    }
    // A buffer of one: a value that was not taken makes place for the newest.
    let (stream, continuation) = AsyncThrowingStream.makeStream(
        of: R.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
    // Detached: the task must not belong to a transaction of another database.
    let task = Task.detached {
        do {
            var last: R?
            var patience = ObservationPatience(engine)
            while true {
                do {
                    let (value, observation) = try await engine.perform { try engine.observe(body) }
                    defer { observation.cancel() }
                    patience.end()
                    if last.map({ last in isSame.map { $0(last, value) } ?? false }) != true {
                        continuation.yield(value)
                    }
                    if isSame != nil { last = value }
                    try await observation.change()
                } catch let error as any TableError where error.code == .unavailable { try await patience.wait(error) }
            }
        } catch {
            continuation.finish(throwing: error is CancellationError ? nil : error)
        }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
}

/// How long an observation has gone without its database.
private struct ObservationPatience {
    private static let pause: Duration = .milliseconds(100)

    private let engine: any TableEngine
    private var beginning: ContinuousClock.Instant?

    init(_ engine: any TableEngine) { self.engine = engine }

    /// The database is there.
    mutating func end() { beginning = nil }

    /// Waits for a moment; throws the error where that was done for long enough.
    mutating func wait(_ error: any Error) async throws {
        let now = ContinuousClock.now
        let start = beginning ?? now
        beginning = start
        guard now - start < engine.observationPatience else { throw error }
        try await Task.sleep(for: Self.pause)
    }
}
