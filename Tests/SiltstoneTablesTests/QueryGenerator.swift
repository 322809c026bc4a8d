import Foundation
import TableKit

/// Numbers that are the same in each run of a seed.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    mutating func pick<T>(_ items: [T]) -> T { items[below(items.count)] }
}

/// Makes tables, rows and queries over few values, so that much is equal, NULL or at a border.
struct QueryGenerator {
    var random: SeededNumbers

    init(seed: UInt64) { random = SeededNumbers(seed) }

    // MARK: Tables

    static let types: [ColumnType] = [
        .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .date, .uuid, .string,
        .bytes,
    ]

    /// A table of these columns: `id`, `link` and some more.
    mutating func table(_ name: String) -> TestTable {
        var columns = [
            Column("id", random.pick([.int64, .int32, .uuid, .string])), Column("link", linkType, isOptional: true),
        ]
        for number in 0..<random.below(5) + 1 {
            columns.append(Column("c\(number)", random.pick(Self.types), isOptional: random.chance(60)))
        }
        var key = [0]
        switch random.below(10) {
        case 0: key = []
        case 1, 2: key = [2, 0]
        case 3: key = [0, 2]
        default: break
        }
        for column in key { columns[column].isOptional = false }
        var indexes: [(columns: [Int], isUnique: Bool)] = []
        for _ in 0..<random.below(4) {
            let chosen = Array(columns.indices.shuffled(using: &random).prefix(random.below(3) + 1))
            if !indexes.contains(where: { $0.columns == chosen }) { indexes.append((chosen, false)) }
        }
        if random.chance(40), !key.isEmpty { indexes.append((key.reversed() + [1], true)) }
        if random.chance(50) { indexes.append(([1], false)) }
        let structure = TableStructure(name: name, columns: columns, primaryKey: key)
        return TestTable(structure, rows(structure), indexes: indexes)
    }

    private let linkTypes: [ColumnType] = [.int64, .int32, .uint8, .double, .int16]
    private var linkType: ColumnType { mutating get { random.pick(linkTypes) } }

    private mutating func rows(_ structure: TableStructure) -> [[ColumnValue]] {
        var seen: Set<ValueTuple> = []
        var rows: [[ColumnValue]] = []
        for _ in 0..<random.pick([0, 3, 20, 60]) {
            let row = structure.columns.map { column in
                column.isOptional && random.chance(25) ? .null : value(column.type)
            }
            let key = ValueTuple(structure.primaryKey.map { row[$0] })
            if structure.primaryKey.isEmpty || seen.insert(key).inserted { rows.append(row) }
        }
        if structure.primaryKey.isEmpty { return rows }
        return rows.sorted { left, right in
            ValueTuple(structure.primaryKey.map { left[$0] }) < ValueTuple(structure.primaryKey.map { right[$0] })
        }
    }

    /// A value that a column can have.
    mutating func value(_ type: ColumnType) -> ColumnValue {
        switch type {
        case .bool: .bool(random.chance(50))
        case .int8: .integer(random.pick([-128, -1, 0, 1, 2, 3, 127]))
        case .int16: .integer(random.pick([-32_768, -1, 0, 1, 2, 3, 300]))
        case .int32: .integer(random.pick([-70_000, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 70_000]))
        case .int64: .integer(random.pick([.min, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1 << 53, (1 << 53) + 1, .max]))
        case .uint8: .integer(random.pick([0, 1, 2, 3, 255]))
        case .uint16: .integer(random.pick([0, 1, 2, 3, 65_535]))
        case .uint32: .integer(random.pick([0, 1, 2, 3, 4_294_967_295]))
        case .uint64: ColumnValue(random.pick([0, 1, 2, 3, 1 << 63, UInt64.max] as [UInt64]))
        case .float: .real(random.pick([-1.5, -0.0, 0, 1, 2, Double(Float(0.1)), .infinity, .nan]))
        case .double: .real(random.pick([-1.5, -0.0, 0, 0.1, 1, 2, 3, 9_007_199_254_740_992, -.infinity, .nan]))
        case .date: .date(Date(timeIntervalSinceReferenceDate: random.pick([-1e9, 0, 0.25, 1, 700_000_000])))
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, UInt8(random.below(40)))))
        case .string: .text(text())
        case .bytes: .bytes(random.pick([[], [0], [0, 0], [0, 255], [1], [255, 255]]))
        case .json: .json("{}")
        }
    }

    mutating func text() -> String {
        let letters = ["a", "A", "b", "B", "é", "\u{0}", "%", "_", "x"]
        return (0..<random.below(4)).map { _ in random.pick(letters) }.joined()
    }

    // MARK: Queries

    /// A value to compare a column with: mostly of its type.
    private mutating func literal(_ type: ColumnType) -> ColumnValue {
        if random.chance(75) { return value(type) }
        if random.chance(10) { return .null }
        return random.pick([
            .integer(2), .integer(-1), .integer(300), .real(1.5), .real(-0.5), .real(1), .real(1e30), .real(-1e30),
            .real(.nan), .unsigned(UInt64.max), .text("a"), .bool(true), .bytes([1]), .integer((1 << 53) + 1),
            .real(0.1),
            .real(.infinity), .integer(.min),
        ])
    }

    mutating func predicate(_ sources: [TableStructure], depth: Int = 3) -> TableKit.Predicate {
        let kind = random.below(depth > 0 ? 14 : 9)
        let source = random.chance(60) ? 0 : random.below(sources.count)
        let number = random.below(sources[source].columns.count)
        let column = ColumnReference(source: source, column: number)
        let type = sources[source].columns[number].type
        switch kind {
        case 0, 1, 2, 3: return .compare(column, comparison(), literal(type))
        case 4: return .isNull(column)
        case 5:
            let values = (0..<random.below(5)).map { _ in random.chance(10) ? .null : literal(type) }
            return .isIn(column, values)
        case 6:
            let places: [LikePattern.Place] = [.anywhere, .atStart, .atEnd, .whole, .wildcards]
            return .like(column, LikePattern(text(), random.pick(places)))
        case 7:
            let other = random.below(sources.count)
            return .compareColumns(
                column, comparison(), ColumnReference(source: other, column: random.below(sources[other].columns.count))
            )
        case 8:
            return random.chance(20)
                ? .constant(random.pick([true, false, nil])) : .compare(column, .equal, value(type))
        case 9, 10, 11: return .and((0..<random.below(3) + 1).map { _ in predicate(sources, depth: depth - 1) })
        case 12: return .or((0..<random.below(3) + 1).map { _ in predicate(sources, depth: depth - 1) })
        default: return .not(predicate(sources, depth: depth - 1))
        }
    }

    private mutating func comparison() -> Comparison {
        random.pick([.equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    mutating func order(_ table: TableStructure) -> [OrderTerm] {
        let isDescending = random.chance(50)
        return table.columns.indices.shuffled(using: &random).prefix(random.below(3)).map {
            OrderTerm(column: $0, isDescending: random.chance(80) ? isDescending : !isDescending)
        }
    }

    mutating func limit() -> RowLimit? {
        random.chance(60) ? nil : RowLimit(count: random.chance(20) ? nil : random.below(12), skip: random.below(4))
    }

    /// A query over one table.
    mutating func query(_ table: TableStructure) -> Query {
        var query = Query(table)
        if random.chance(90) { query.predicate = predicate([table]) }
        query.order = order(table)
        query.limit = limit()
        query.isDistinct = random.chance(70)
        if random.chance(20) {
            query.columns = Array(table.columns.indices.shuffled(using: &random).prefix(random.below(2) + 1)).sorted()
        }
        return query
    }

    /// A query with joins between two or three tables, grandchildren and pivots among them.
    mutating func joinQuery(_ tables: [TableStructure]) -> Query {
        var query = Query(tables[0])
        func number(_ link: Bool) -> Int { link ? 1 : 0 }
        for join in 0..<random.below(3) + 1 {
            let parent =
                query.joins.isEmpty || random.chance(60) ? 0 : query.joins[random.below(query.joins.count)].source
            var pivot: PivotClause?
            if random.chance(35) {
                query.sources.append(random.pick(tables))
                pivot = PivotClause(source: query.sources.count - 1, column: number(random.chance(70)), equals: 1)
            }
            query.sources.append(random.pick(tables))
            var clause = JoinClause(
                property: "p\(join)", parent: parent, source: query.sources.count - 1, on: 1, equals: 1, pivot: pivot)
            clause.on = number(random.chance(70))
            clause.equals = number(random.chance(70))
            clause.order = order(query.sources[clause.source])
            clause.limit = random.chance(15) ? limit() : nil
            clause.limitEach = random.chance(15) ? limit() : nil
            query.joins.append(clause)
        }
        if random.chance(80) { query.predicate = predicate(query.sources, depth: 2) }
        query.order = order(tables[0])
        if random.chance(30) { query.limit = limit() }
        return query
    }
}
