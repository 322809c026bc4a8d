// `@unchecked Sendable`: a metatype is immutable, and its conformances are callable from any thread.
/// The query that a chain describes, with the types of its tables.
public struct QueryDescription: @unchecked Sendable {
    /// The query.
    package var query: Query
    /// The types of the query's sources.
    var types: [any Any.Type]
    /// The types of the joined rows, for each join.
    var children: [any Codable.Type] = []
    /// The join that the next order or limit applies to; nil: the parents.
    private var target: Int?

    /// All rows of a type's table.
    init<T: Codable>(_ type: T.Type, _ structure: TableStructure) {
        query = Query(structure)
        types = [type]
    }

    /// The parents' table.
    var table: TableStructure { query.sources[0] }

    /// Prepends terms to the order of the table that was named last: later terms take precedence.
    mutating func order(by terms: [OrderTerm]) {
        if let target {
            query.joins[target].order = terms + query.joins[target].order
        } else {
            query.order = terms + query.order
        }
    }

    /// Limits the table that was named last. The first limit wins.
    mutating func limit(_ limit: RowLimit) {
        if let target {
            query.joins[target].limit = query.joins[target].limit ?? limit
        } else {
            query.limit = query.limit ?? limit
        }
    }

    /// Limits the joined rows of each parent.
    mutating func limitEach(_ limit: RowLimit) throws {
        guard let target else {
            throw CRUDSQLGenError("limit(each:) follows a join.", code: .argument, table: table.name)
        }
        query.joins[target].limitEach = query.joins[target].limitEach ?? limit
    }

    /// Adds a join. Later orders and limits apply to it.
    mutating func join(_ step: JoinStep) throws {
        guard let parent = types.firstIndex(where: { $0 == step.parent }) else {
            throw CRUDSQLGenError(
                "The join starts from \(step.parent), which is no table of this query.", code: .noTable,
                table: table.name)
        }
        let property = query.sources[parent].subTables[step.property].property
        if query.joins.contains(where: { $0.parent == parent && $0.property == property }) {
            throw CRUDSQLGenError(
                "The property is joined twice.", code: .argument, table: query.sources[parent].name, column: property)
        }
        var clause = JoinClause(
            property: property, parent: parent, source: query.sources.count, on: step.on, equals: step.equals)
        query.sources.append(try TableStructure.of(any: step.child))
        types.append(step.child)
        if let pivot = step.pivot {
            clause.pivot = PivotClause(source: query.sources.count, column: pivot.column, equals: pivot.equals)
            query.sources.append(try TableStructure.of(any: pivot.type))
            types.append(pivot.type)
        }
        query.joins.append(clause)
        children.append(step.child)
        target = query.joins.count - 1
    }

    /// Sets the condition.
    mutating func filter(_ expression: CRUDExpression) throws {
        query.predicate = try ExpressionCompiler(sources: query.sources, types: types).predicate(expression)
    }

    /// Limits the query to the first parent.
    mutating func limitToFirst() {
        query.limit = RowLimit(count: 1, skip: query.limit?.skip ?? 0)
    }

    /// Throws if the chain has an order, a limit or a join: updates and deletes support a condition only.
    func checkIsCondition(for statement: String) throws {
        if query.order.isEmpty, query.limit == nil, query.joins.isEmpty { return }
        throw CRUDSQLGenError(
            "\(statement) takes a condition alone, no order, limit or join.", code: .unsupported, table: table.name)
    }

    /// A decoder for results of the query.
    func decoder<T: Decodable>(_ type: T.Type) -> BatchDecoder<T> {
        func child<C: Decodable>(_ type: C.Type) -> ChildDecoder { ChildDecoder.of(type) }
        return BatchDecoder(query, children: children.map { child($0) })
    }
}

// `@unchecked Sendable`: see `QueryDescription`.
/// A join of a chain, with its key paths resolved to columns.
struct JoinStep: @unchecked Sendable {
    struct Pivot {
        let type: any Codable.Type
        /// The pivot's column that refers to the child.
        let column: Int
        /// The child's column that must equal it.
        let equals: Int
    }

    let parent: any Codable.Type
    let child: any Codable.Type
    /// The number of the parent's array property.
    let property: Int
    /// The parent's column.
    let on: Int
    /// The column of the child, or of the pivot, that must equal it.
    let equals: Int
    let pivot: Pivot?

    /// A join of parent and child.
    init<P: Codable, C: Codable>(_ to: KeyPath<P, [C]?>, on: AnyKeyPath, equals: AnyKeyPath) throws {
        try self.init(to, on: on, equals: equals, pivot: nil)
    }

    /// A join of parent and child through a pivot table.
    init<P: Codable, C: Codable, T: Codable>(
        _ to: KeyPath<P, [C]?>, with type: T.Type, on: AnyKeyPath, equals: AnyKeyPath, and: AnyKeyPath, is: AnyKeyPath
    ) throws {
        let pivot = Pivot(type: type, column: try `is`.columnNumber(), equals: try and.columnNumber())
        try self.init(to, on: on, equals: equals, pivot: pivot)
    }

    private init<P: Codable, C: Codable>(
        _ to: KeyPath<P, [C]?>, on: AnyKeyPath, equals: AnyKeyPath, pivot: Pivot?
    ) throws {
        parent = P.self
        child = C.self
        property = try to.subTableNumber()
        self.on = try on.columnNumber()
        self.equals = try equals.columnNumber()
        self.pivot = pivot
    }
}
