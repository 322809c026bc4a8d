import Foundation
public import TableKit

/// Makes random tables and rows from few values, so that equal values, NULL and limits are frequent.
///
/// All databases treat these values alike: no NaN (NULL in SQLite), no U+0000 in text (PostgreSQL refuses it), no
/// integer above `Int64.max`.
public struct ValueGenerator {
    /// The source of randomness.
    public var random: SeededNumbers
    /// Whether to make many distinct numbers, for many rows.
    public var isLarge = false
    /// Whether reals may be infinite.
    public var hasInfinities = true

    /// Creates a generator; the seed determines everything.
    public init(seed: UInt64) { random = SeededNumbers(seed) }

    private static let keyTypes: [ColumnType] = [
        .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .date, .uuid, .string,
        .bytes,
    ]
    /// JSON of each kind. The numbers must keep every digit.
    private static let jsonTexts = [
        "{}", "[1]", "\"a\"", "{\"a\":1}", "5", "10", "-0", "0.10", "1e2", "1E+999", "0.1", " 7 ",
        "12345678901234567890.123456789", "0.30000000000000004", "9223372036854775808", "true", "false", "null",
        "\"null\"", "\"5\"", "\"0.10\"",
    ]
    private static let allTypes = keyTypes + [.json, .string, .string, .double, .int64]

    /// A random structure with the columns `id` and `link`, which most joins and groups use, and a few more.
    public mutating func structure(_ name: String) -> TableStructure {
        var columns = [
            Column("id", random.pick([.int64, .int64, .int32, .uuid, .string, .double])),
            Column("link", random.pick([.int64, .int32, .uint8, .double, .int16, .float]), isOptional: true),
            column("c0", Self.keyTypes),
        ]
        for number in 0..<random.below(5) { columns.append(column("c\(number + 1)", Self.allTypes)) }
        let key = random.pick([[], [2, 0], [0, 2], [0], [0], [0], [0], [0], [1, 0, 2], [2]])
        for number in key { columns[number].isOptional = false }
        return TableStructure(name: name, columns: columns, primaryKey: key)
    }

    /// A random column of one of these types, sometimes with a default.
    public mutating func column(_ name: String, _ types: [ColumnType]? = nil) -> Column {
        let type = random.pick(types ?? Self.allTypes)
        return Column(
            name, type, isOptional: random.chance(60), defaultValue: random.chance(20) ? value(type) : nil)
    }

    /// A random index, without columns that cannot be indexed.
    public mutating func index(_ table: TableStructure) -> IndexDefinition {
        let columns = table.columns.filter { $0.type != .json }.map(\.name)
        if random.chance(15), !table.primaryKey.isEmpty {
            // Rarely violated by rows.
            let key = table.primaryKey.reversed().map { table.columns[$0].name }
            return IndexDefinition(
                table: table.name, columns: key + columns.filter { !key.contains($0) }.prefix(1), isUnique: true)
        }
        let chosen = random.some(columns, atMost: random.pick([1, 1, 2, 2, 3]))
        return IndexDefinition(table: table.name, columns: chosen, isUnique: random.chance(10))
    }

    /// Random values for all columns.
    public mutating func row(_ table: TableStructure) -> [ColumnValue] {
        table.columns.map { column in
            column.isOptional ? random.chance(25) ? .null : value(column.type) : value(column.type)
        }
    }

    /// A random value for a column type.
    public mutating func value(_ type: ColumnType) -> ColumnValue {
        switch type {
        case .bool: .bool(random.chance(50))
        case .int8: .integer(random.pick([-128, -1, 0, 1, 2, 3, 127]))
        case .int16: .integer(random.pick([-32_768, -1, 0, 1, 2, 3, 4, 300]))
        case .int32: .integer(random.pick([-70_000, 70_000] + Array(-1...20) + (isLarge ? Array(21...900) : [])))
        case .int64:
            .integer(
                random.pick([.min, 1 << 53, (1 << 53) + 1, .max] + Array(-1...30) + (isLarge ? Array(31...2000) : [])))
        case .uint8: .integer(random.pick([0, 1, 2, 3, 4, 255]))
        case .uint16: .integer(random.pick([0, 1, 2, 3, 65_535]))
        case .uint32: .integer(random.pick([0, 1, 2, 3, 4_294_967_295]))
        case .uint64: .integer(random.pick([0, 1, 2, 3, 4, .max]))
        case .float: .real(random.pick([-1.5, -0.0, 0, 1, 2, 3, Double(Float(0.1)), hasInfinities ? .infinity : 7]))
        case .double:
            .real(
                random.pick([
                    -1.5, -0.0, 0, 0.1, 1, 2, 3, 4, 5, 6, 7, 9_007_199_254_740_992, hasInfinities ? -.infinity : -9,
                ]))
        case .date: .date(Date(timeIntervalSinceReferenceDate: random.pick([-1e9, 0, 0.25, 1, 700_000_000])))
        case .uuid:
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 170, UInt8(random.below(isLarge ? 256 : 40)))))
        case .string: .text(text())
        case .bytes: .bytes(random.pick([[], [0], [0, 0], [0, 255], [1], [255, 255]]))
        case .json: .json(random.pick(Self.jsonTexts))
        }
    }

    /// A random text from a few letters, some of them wildcards of LIKE.
    public mutating func text() -> String {
        let letters = ["a", "A", "b", "B", "é", "É", "%", "_", "x", "'"]
        return (0..<random.below(4)).map { _ in random.pick(letters) }.joined()
    }
}
