extension DatabaseProtocol {
    /// Runs statements of SQL, separated by `;`, and drops their rows.
    ///
    /// Each statement is a transaction of its own, unless the text begins one or `transaction { }` is around it.
    /// - Parameters:
    ///   - sql: the text.
    ///   - bindings: the values of `?` and `$1`, in their order. The names are for people.
    /// - Throws: ``CRUDSQLGenError`` with the place of what cannot be read, and the errors of the statements.
    public func sql(_ sql: String, bindings: Bindings = []) throws {
        try access.run(try SQLScript(sql), sql, try bindings.map { try $0.1.bindingValue() }) { _ in }
    }

    /// Runs statements of SQL and gives their rows as objects: a column of a row is the property whose column has its name.
    ///
    /// Columns that the type lacks are left out.
    /// - Throws: also where a row lacks a column that is not optional.
    public func sql<A: Codable>(_ sql: String, bindings: Bindings = [], _ type: A.Type) throws -> [A] {
        let decoder = try SQLRowDecoder<A>()
        var items: [A] = []
        try access.run(try SQLScript(sql), sql, try bindings.map { try $0.1.bindingValue() }) { result in
            while let rows = try result.next() { try decoder.decode(rows, result.columns, into: &items) }
        }
        return items
    }

    /// Runs statements of SQL and drops their rows.
    public func sql(_ sql: String, bindings: Bindings = []) async throws {
        let values = try bindings.map { try $0.1.bindingValue() }
        let script = try SQLScript(sql), access = access
        try await access.engine.perform { try access.run(script, sql, values) { _ in } }
    }

    /// Runs statements of SQL and gives their rows as objects.
    public func sql<A: Codable & Sendable>(
        _ sql: String, bindings: Bindings = [], _ type: A.Type
    ) async throws -> [A] {
        let values = try bindings.map { try $0.1.bindingValue() }
        let script = try SQLScript(sql), access = access
        return try await access.engine.perform {
            let decoder = try SQLRowDecoder<A>()
            var items: [A] = []
            try access.run(script, sql, values) { result in
                while let rows = try result.next() { try decoder.decode(rows, result.columns, into: &items) }
            }
            return items
        }
    }
}

extension Access {
    fileprivate func run(
        _ script: SQLScript, _ text: String, _ bindings: [ColumnValue], _ body: (SQLResult) throws -> Void
    ) throws {
        CRUDLogging.logQuery(text)
        guard let scope else { return try script.run(on: engine, bindings: bindings, body) }
        try scope.session.use(scope, isChange: !script.isReadOnly) { session in
            try script.run(in: session, of: engine, bindings: bindings, body)
        }
    }
}

/// Decodes rows of SQL by the names of their columns.
private struct SQLRowDecoder<A: Codable> {
    private let structure: TableStructure
    private let decoder: RowDecoder<A>

    init() throws {
        structure = try TableStructure.of(A.self)
        decoder = RowDecoder(structure)
    }

    /// Appends the objects that rows hold.
    func decode(_ rows: [[ColumnValue]], _ names: [String], into items: inout [A]) throws {
        let places = structure.columns.map { column in
            names.firstIndex(of: column.name)
                ?? names.firstIndex { $0.lowercased() == column.name.lowercased() }
        }
        let shape = RowShape(
            structure,
            columns: [zip(places, structure.layout.slots).map { $0 == nil ? .missing : .slot($1) }])
        for row in rows {
            var bytes = RowBuffer()
            try bytes.append(try values(row, places), layout: structure.layout)
            items.append(try bytes.withRow(0) { try decoder.decode($0, shape: shape) })
        }
    }

    private func values(_ row: [ColumnValue], _ places: [Int?]) throws -> [ColumnValue] {
        try zip(places, structure.columns).map { place, column in
            guard let place else { return .null }
            if let value = row[place].fitting(column.type) { return value }
            throw CRUDDecoderError(
                "The value \(row[place]) is no value of type \(column.type), or out of its range.", code: .type,
                table: structure.name, column: column.name)
        }
    }
}
