/// A link that `select`, `first` and `count` can follow.
public protocol Selectable: TableProtocol {}

extension Selectable {
    /// The result as a sequence. Each iteration runs the query again on current data, batch by batch.
    /// - Throws: ``CRUDSQLGenError`` if the chain is not valid. The query does not run yet.
    public func select() throws -> Select<OverAllForm, Self> { try Select(fromTable: self) }

    /// Returns the whole result.
    /// - Complexity: O(result) in memory. ``select()`` holds one batch.
    public func all() throws -> [OverAllForm] { try cursor().all() }

    /// The first object, or nil if there is none. After a join: the first parent with all of its joined rows.
    /// - Throws: also if the row cannot be decoded.
    public func first() throws -> OverAllForm? {
        try access.first(try describe(), OverAllForm.self)
    }

    /// The number of distinct parents that match, within the limit. Orders and limits of joins have no effect.
    public func count() throws -> Int { try access.count(try describe()) }

    /// True if any parent matches.
    public func exists() throws -> Bool { try access.exists(try describe()) }

    /// Returns the query's plan.
    /// - Parameter analyze: true to run the query to its end and measure the rows and the time of each step. Reading
    ///   the clock for each row slows the query down.
    public func explain(analyze: Bool = false) throws -> QueryPlan { try access.explain(try describe(), analyze) }

    func cursor() throws -> QueryCursor<OverAllForm> { try QueryCursor(access, try describe()) }
}

// MARK: Async

extension Selectable where OverAllForm: Sendable {
    /// Returns the whole result.
    /// - Throws: also `CancellationError`, checked between batches.
    public func all() async throws -> [OverAllForm] {
        let description = try describe(), access = access
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await access.engine.perform {
                try QueryCursor<OverAllForm>(access, description).all(unless: cancellation)
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// The first object, or nil if there is none.
    public func first() async throws -> OverAllForm? {
        let description = try describe(), access = access
        return try await access.engine.perform { try access.first(description, OverAllForm.self) }
    }

    /// The result as an asynchronous sequence. Each iteration runs the query again.
    /// - Throws: ``CRUDSQLGenError`` if the chain is not valid. Iterating throws all other errors, and
    ///   `CancellationError` between batches.
    public func rows() throws -> QueryRows<OverAllForm> { QueryRows(access, try describe()) }
}

extension Selectable {
    /// The number of distinct parents that match, within the limit.
    public func count() async throws -> Int {
        let description = try describe(), access = access
        return try await access.engine.perform { try access.count(description) }
    }

    /// True if any parent matches.
    public func exists() async throws -> Bool {
        let description = try describe(), access = access
        return try await access.engine.perform { try access.exists(description) }
    }

    /// Returns the query's plan. With `analyze`, runs the query and measures each step.
    public func explain(analyze: Bool = false) async throws -> QueryPlan {
        let description = try describe(), access = access
        return try await access.engine.perform { try access.explain(description, analyze) }
    }
}

extension Access {
    func first<T: Decodable>(_ description: QueryDescription, _ type: T.Type) throws -> T? {
        CRUDLogging.logQuery("\(description.query)")
        if let key = description.point { return try find(description.table, [key], type) }
        var description = description
        description.limitToFirst()
        return try read { session in
            let stream = try session.run(description.query)
            let decoder = description.decoder(type)
            var items: [T] = []
            while items.isEmpty, let batch = try stream.next() { try decoder.decode(batch, into: &items) }
            return items.first
        }
    }

    func find<T: Decodable>(_ table: TableStructure, _ key: [ColumnValue], _ type: T.Type) throws -> T? {
        let items = unsafe unsafeDowncast(AnyItemDecoder.take(type, table), to: ItemDecoder<T>.self)
        defer { items.giveBack(type) }
        var item: T?
        guard let scope else {
            _ = try engine.withRow(table, key: key) { item = try items.decode($0, shape: $1) }
            return item
        }
        try scope.session.use(scope, isChange: false) { session in
            _ = try session.withRow(table, key: key) { item = try items.decode($0, shape: $1) }
        }
        return item
    }

    func count(_ description: QueryDescription) throws -> Int {
        CRUDLogging.logQuery("count \(description.query)")
        return try read { try $0.count(description.query) }
    }

    func exists(_ description: QueryDescription) throws -> Bool {
        var query = description.query
        query.limit = RowLimit(count: 1, skip: query.limit?.skip ?? 0)
        query.order = []
        return try read { try $0.count(query) > 0 }
    }

    func explain(_ description: QueryDescription, _ isRun: Bool) throws -> QueryPlan {
        try read { try isRun ? $0.explainRunning(description.query) : $0.explain(description.query) }
    }
}

extension QueryDescription {
    /// The key's value if the query is a look-up by a one-column primary key, else nil.
    var point: ColumnValue? {
        guard case .compare(let column, .equal, let value)? = query.predicate, query.joins.isEmpty,
            query.limit.map({ $0.skip == 0 }) ?? true, table.primaryKey.count == 1,
            column.column == table.primaryKey[0]
        else { return nil }
        let isKey =
            switch (table.columns[column.column].type, value) {
            case (.int64, .integer), (.string, .text), (.uuid, .uuid), (.bytes, .bytes), (.bool, .bool): true
            case (let type, .integer) where type.isInteger: value.fitting(type) != nil
            case (.uint64, .unsigned): true
            default: false
            }
        return isKey ? value : nil
    }
}
