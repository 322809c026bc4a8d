/// A link that `select`, `first` and `count` can follow.
public protocol Selectable: TableProtocol {}

extension Selectable {
    /// The result as a sequence, which runs the query anew each time it is iterated, on the data of then, batch by batch.
    /// - Throws: ``CRUDSQLGenError`` where the chain does not fit together. The query is not run.
    public func select() throws -> Select<OverAllForm, Self> { try Select(fromTable: self) }

    /// The whole result.
    /// - Complexity: O(result) in memory; ``select()`` holds a batch.
    public func all() throws -> [OverAllForm] { try cursor().all() }

    /// The first object, or nil where there is none. After a join: the first parent with all that belongs to it.
    /// - Throws: also where the row does not decode.
    public func first() throws -> OverAllForm? {
        try access.first(try describe(), OverAllForm.self)
    }

    /// How many different parents match, limited as they are. An order and what follows a join do not count.
    public func count() throws -> Int { try access.count(try describe()) }

    /// Whether any parent matches.
    public func exists() throws -> Bool { try access.exists(try describe()) }

    /// How the query would run.
    /// - Parameter analyze: whether it is run, to its end, so that each step tells how many rows it found and how long it
    ///   took. Reading the clock for each row makes it slower than it is.
    public func explain(analyze: Bool = false) throws -> QueryPlan { try access.explain(try describe(), analyze) }

    func cursor() throws -> QueryCursor<OverAllForm> { try QueryCursor(access, try describe()) }
}

// MARK: Async

extension Selectable where OverAllForm: Sendable {
    /// The whole result.
    /// - Throws: also `CancellationError`, between batches.
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

    /// The first object, or nil where there is none.
    public func first() async throws -> OverAllForm? {
        let description = try describe(), access = access
        return try await access.engine.perform { try access.first(description, OverAllForm.self) }
    }

    /// The result as an asynchronous sequence, which runs the query anew each time it is iterated.
    /// - Throws: ``CRUDSQLGenError`` where the chain does not fit together; iterating throws all other errors, and
    ///   `CancellationError` between batches.
    public func rows() throws -> QueryRows<OverAllForm> { QueryRows(access, try describe()) }
}

extension Selectable {
    /// How many different parents match, limited as they are.
    public func count() async throws -> Int {
        let description = try describe(), access = access
        return try await access.engine.perform { try access.count(description) }
    }

    /// Whether any parent matches.
    public func exists() async throws -> Bool {
        let description = try describe(), access = access
        return try await access.engine.perform { try access.exists(description) }
    }

    /// How the query would run, or with `analyze` has run.
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
        var item: T?
        try read { session in
            _ = try session.withRow(table, key: key) { row, shape in
                item = try RowDecoder<T>(table).decode(row, shape: shape)
            }
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
    /// The value of the key where the query is a look-up by a key of one column, else nil.
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
