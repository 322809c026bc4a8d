extension DatabaseProtocol {
    /// Runs SQL statements and discards their rows.
    ///
    /// Statements within `transaction { … }` are part of it. Otherwise each statement is a transaction of its own,
    /// unless the text has BEGIN and COMMIT. See ``SQLScript``.
    /// - Parameters:
    ///   - sql: the statements, separated by `;`.
    ///   - bindings: the values of `?`, `?1` and `$1`, in their order. The names are only informative.
    /// - Throws: ``CRUDSQLGenError`` with ``TableErrorCode/syntax`` for invalid SQL, and the errors of the statements.
    public func sql(_ sql: String, bindings: Bindings = []) throws {
        try access.run(sql, try bindings.values()) { _ in }
    }

    /// Runs SQL statements and decodes their rows by the names of the result's columns.
    ///
    /// Columns without a property are ignored. A property that is not optional throws if its column is missing.
    /// - Parameters:
    ///   - sql: the statements, separated by `;`.
    ///   - bindings: the values of `?`, `?1` and `$1`, in their order.
    ///   - type: the type of an item.
    /// - Returns: an item for each row, in the order of the rows.
    public func sql<A: Decodable>(_ sql: String, bindings: Bindings = [], _ type: A.Type) throws -> [A] {
        try access.items(sql, try bindings.values())
    }

    /// Runs SQL statements and passes on their results, which are read batch by batch.
    /// - Parameters:
    ///   - sql: the statements, separated by `;`.
    ///   - bindings: the values of `?`, `?1` and `$1`, in their order.
    ///   - body: called with the result of each statement. It must read the rows that it needs before it returns. What
    ///     it changes itself belongs to the transaction of the statement, if that changes something; if `body` throws,
    ///     both are undone. Within `transaction { … }` they belong to it.
    public func sql(_ sql: String, bindings: Bindings = [], results body: (SQLResult) throws -> Void) throws {
        try access.run(sql, try bindings.values(), body)
    }

    /// As the synchronous form, without blocking the caller's thread.
    ///
    /// A cancelled task stops waiting for other transactions and throws `CancellationError`. The statements before that
    /// stay committed. A transaction may run again after a conflict.
    public func sql(_ sql: String, bindings: Bindings = []) async throws {
        let _: [Never] = try await access.runInTask(sql, try bindings.values()) { _ in [] }
    }

    /// As the synchronous form, without blocking the caller's thread: the same cancellation, commits and retries as the
    /// `async` form without rows.
    public func sql<A: Decodable & Sendable>(
        _ sql: String, bindings: Bindings = [], _ type: A.Type
    ) async throws -> [A] {
        try await access.runInTask(sql, try bindings.values()) { try $0.items(A.self) }
    }
}

extension Bindings {
    /// The values, without the names.
    fileprivate func values() throws -> [ColumnValue] { try map { try $0.1.bindingValue() } }
}

extension Access {
    /// Runs a script in the current transaction, else statement by statement.
    fileprivate func run(_ text: String, _ bindings: [ColumnValue], _ body: (SQLResult) throws -> Void) throws {
        try run(try SQLScript(text), text, bindings, body)
    }

    private func run(
        _ script: SQLScript, _ text: String, _ bindings: [ColumnValue], _ body: (SQLResult) throws -> Void
    ) throws {
        CRUDLogging.logQuery(text)
        guard scope != nil else { return try script.run(on: engine, bindings: bindings, body) }
        if script.isReadOnly {
            try read { try script.run(in: $0, of: engine, bindings: bindings, body) }
        } else {
            try change { try script.run(in: $0, of: engine, bindings: bindings, body) }
        }
    }

    /// Runs a script and decodes its rows.
    fileprivate func items<A: Decodable>(_ text: String, _ bindings: [ColumnValue]) throws -> [A] {
        var items: [A] = []
        try run(text, bindings) { items += try $0.items(A.self) }
        return items
    }

    /// As `run`, for tasks. Returns what `read` makes of the results.
    fileprivate func runInTask<Row: Sendable>(
        _ text: String, _ bindings: [ColumnValue], _ read: @escaping @Sendable (SQLResult) throws -> [Row]
    ) async throws -> [Row] {
        try Task.checkCancellation()
        let script = try SQLScript(text)
        if scope == nil, !script.isReadOnly {
            CRUDLogging.logQuery(text)
            return try await script.run(on: engine, bindings: bindings, read)
        }
        return try await engine.perform {
            var rows: [Row] = []
            try self.run(script, text, bindings) { rows += try read($0) }
            return rows
        }
    }
}

extension SQLResult {
    /// Decodes the remaining rows.
    fileprivate func items<A: Decodable>(_ type: A.Type) throws -> [A] {
        let decoder = SQLRowDecoder(columns)
        var items: [A] = []
        while let rows = try next() {
            for row in rows { items.append(try decoder.decode(A.self, row)) }
        }
        return items
    }
}
