import Siltstone
import SiltstoneTesting
import TableKit

@testable import SiltstoneTables

/// Random changes of two tables, beside the same in arrays.
///
/// `parents` has a unique index and a plain one; `children` refers to it, with a cascade.
struct TableModel {
    static let parents = TableStructure(
        name: "parents",
        columns: [
            Column("id", .int64), Column("code", .int32, isOptional: true),
            Column("name", .string, isOptional: true), Column("weight", .double, isOptional: true),
        ], primaryKey: [0])
    static let children = TableStructure(
        name: "children",
        columns: [
            Column("id", .string),
            Column(
                "parent", .int64, isOptional: true,
                foreignKey: ForeignKeyReference(table: "parents", onDelete: .cascade)),
            Column("note", .string, isOptional: true),
        ], primaryKey: [0])

    private(set) var parents: [Int64: [ColumnValue]] = [:]
    private(set) var children: [String: [ColumnValue]] = [:]
    private var values: RandomValues

    init(seed: UInt64) { values = RandomValues(seed: seed) }

    static func create(_ session: any TableSession) throws {
        try session.alter(.createTable(parents))
        try session.alter(.createTable(children))
        try session.alter(.createIndex(IndexDefinition(table: "parents", columns: ["code"], isUnique: true)))
        try session.alter(.createIndex(IndexDefinition(table: "parents", columns: ["name", "weight"])))
    }

    /// The rows of a table as the model has them, in the order of the key.
    var expectedParents: [[ColumnValue]] { parents.sorted { $0.key < $1.key }.map(\.value) }
    var expectedChildren: [[ColumnValue]] {
        children.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }

    private mutating func id() -> Int64 { Int64(values.random.index(24)) }

    private mutating func parent(_ id: Int64) -> [ColumnValue] {
        let code: ColumnValue = values.random.index(3) == 0 ? .null : .integer(Int64(values.random.index(40)))
        return [.integer(id), code, values.value(.string), values.value(.double)]
    }

    private mutating func child() -> [ColumnValue] {
        let name = "c\(values.random.index(30))"
        let parent: ColumnValue = values.random.index(4) == 0 ? .null : .integer(id())
        return [.text(name), parent, values.value(.string)]
    }

    private static func equals(_ column: Int, _ value: ColumnValue) -> TableKit.Predicate {
        .compare(ColumnReference(column: column), .equal, value)
    }

    /// Makes a random statement in the session and in the model.
    /// - Returns: a sentence about what differs; nil where nothing does.
    mutating func step(_ session: any TableSession) throws -> String? {
        let before = self
        let expected: TableErrorCode?
        let found: TableErrorCode?
        var counts: (Int, Int)? = nil
        switch values.random.index(8) {
        case 0, 1, 2:
            let rows = (0...values.random.index(3)).map { _ in parent(id()) }
            let conflict: InsertStatement.Conflict = [.fail, .ignore, .replace][values.random.index(3)]
            expected = insert(rows, conflict)
            found = code { try session.insert(Self.parents, rows, onConflict: conflict) }
        case 3, 4:
            let rows = (0...values.random.index(2)).map { _ in child() }
            expected = insertChildren(rows)
            found = code { try session.insert(Self.children, rows) }
        case 5:
            let row = parent(id())
            let columns = [[1], [2], [3], [2, 3]][values.random.index(4)]
            let match = values.random.index(2) == 0 ? equalsName() : Self.equals(0, .integer(id()))
            let statement = UpdateStatement(
                Self.parents, columns: columns, row: try Self.parents.rows([row]), predicate: match)
            expected = update(columns, row, match)
            found = code { _ = try session.update(statement) }
        case 6:
            let match = values.random.index(3) == 0 ? equalsName() : Self.equals(0, .integer(id()))
            let gone = matching(match)
            for id in gone {
                parents[id] = nil
                children = children.filter { $0.value[1] != .integer(id) }
            }
            var count = 0
            found = code { count = try session.delete(DeleteStatement(Self.parents, predicate: match)).count }
            expected = nil
            counts = (gone.count, count)
        default:
            let row = child()
            let statement = UpdateStatement(
                Self.children, columns: [1], row: try Self.children.rows([row]), predicate: Self.equals(0, row[0]))
            expected = updateChild(row)
            found = code { _ = try session.update(statement) }
        }
        if expected != nil { (parents, children) = (before.parents, before.children) }
        if expected != found { return "threw \(String(describing: found)), not \(String(describing: expected))" }
        if let counts, counts.0 != counts.1 { return "deleted \(counts.1), not \(counts.0)" }
        return nil
    }

    private mutating func equalsName() -> TableKit.Predicate {
        let name = values.value(.string)
        return name.isNull ? .isNull(ColumnReference(column: 2)) : Self.equals(2, name)
    }

    private func matching(_ predicate: TableKit.Predicate) -> [Int64] {
        parents.filter { _, row in
            switch predicate {
            case .compare(let column, _, let value): !row[column.column].isNull && row[column.column] == value
            case .isNull(let column): row[column.column].isNull
            default: false
            }
        }.map(\.key).sorted()
    }

    private func isTaken(_ code: ColumnValue, except id: Int64) -> Bool {
        !code.isNull && parents.contains { $0.key != id && $0.value[1] == code }
    }

    private mutating func insert(_ rows: [[ColumnValue]], _ conflict: InsertStatement.Conflict) -> TableErrorCode? {
        for row in rows {
            guard case .integer(let id) = row[0] else { continue }
            if parents[id] != nil {
                if conflict == .fail { return .unique }
                if conflict == .ignore { continue }
            }
            if isTaken(row[1], except: id) { return .unique }
            parents[id] = row
        }
        return nil
    }

    private mutating func insertChildren(_ rows: [[ColumnValue]]) -> TableErrorCode? {
        var isMissing = false
        for row in rows {
            guard case .text(let name) = row[0] else { continue }
            if children[name] != nil { return .unique }
            if case .integer(let id) = row[1], parents[id] == nil { isMissing = true }
            children[name] = row
        }
        return isMissing ? .foreignKey : nil
    }

    private mutating func update(
        _ columns: [Int], _ row: [ColumnValue], _ predicate: TableKit.Predicate
    ) -> TableErrorCode? {
        for id in matching(predicate) {
            if columns.contains(1), isTaken(row[1], except: id) { return .unique }
            for column in columns { parents[id]?[column] = row[column] }
        }
        return nil
    }

    private mutating func updateChild(_ row: [ColumnValue]) -> TableErrorCode? {
        guard case .text(let name) = row[0], children[name] != nil else { return nil }
        children[name]?[1] = row[1]
        if case .integer(let id) = row[1], parents[id] == nil { return .foreignKey }
        return nil
    }
}
