#if PostgreSQL || MySQL || SQLite
import CRUDKit
import Foundation
import Siltstone
import SiltstoneCRUD
import SiltstoneTables
import TableKit
import Testing

@testable import SiltTool

/// A directory with a store in it that has something of everything that a move must keep.
final class MovedSample: Sendable {
    let directory: String
    /// Rows in the largest table.
    static let persons = 230
    static let repositories = ["", "Clients", "odd/na%me ü"]

    var store: String { directory + "/sample.silt" }

    init() throws {
        directory = FileManager.default.temporaryDirectory.path + "/move-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        try KeyValueStore.open(at: store).closing { store in
            let engine = try SiltstoneDatabaseConfiguration(store: store).engine
            try engine.change { session in
                for table in [Self.values, Self.person, Self.log, Self.left] {
                    try session.alter(.createTable(table))
                }
                try session.alter(.createTable(Self.right))
                try session.alter(.addColumn(table: "Left", Self.toRight))
                try Self.fill(session)
            }
            try engine.buildIndex(IndexDefinition(table: "Person", columns: ["name", "boss"]))
            try engine.buildIndex(IndexDefinition(table: "Person", columns: ["code"], isUnique: true))
            for name in Self.repositories {
                let repository = SiltstoneRepository(store: store, tableName: name)
                let records = (0..<25).map { (id: "id \($0) ü", record: Data("record \($0)".utf8)) }
                _ = try AsyncWork.wait { try await repository.insertRecords(records) }
            }
            try store.put(Array("plain key".utf8), Array("of the program".utf8))
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    // MARK: Tables

    /// A column of each type.
    static let values = TableStructure(
        name: "Values",
        columns: [Column("number", .int32), Column("name", .string)]
            + ColumnType.allCases.map { Column("c\($0)", $0, isOptional: true) }
            + [Column("filled", .int64, defaultValue: .integer(7))],
        primaryKey: [0, 1])

    static let person = TableStructure(
        name: "Person",
        columns: [
            Column("id", .int64), Column("name", .string), Column("code", .int64, isOptional: true),
            Column(
                "boss", .int64, isOptional: true, foreignKey: ForeignKeyReference(table: "Person", onDelete: .setNull)),
        ], primaryKey: [0])

    static let log = TableStructure(name: "Log", columns: [Column("line", .string), Column("size", .double)])

    /// Two tables that refer to each other.
    static let left = TableStructure(name: "Left", columns: [Column("id", .int64)], primaryKey: [0])
    static let right = TableStructure(
        name: "Right",
        columns: [Column("id", .int64), Column("of", .int64, foreignKey: ForeignKeyReference(table: "Left"))],
        primaryKey: [0])
    static let toRight = Column("other", .int64, isOptional: true, foreignKey: ForeignKeyReference(table: "Right"))

    private static func insert(
        _ table: TableStructure, _ rows: [[ColumnValue]], _ session: any TableSession
    ) throws {
        var buffer = RowBuffer()
        for row in rows { try buffer.append(row, layout: table.layout) }
        _ = try session.insert(InsertStatement(table, rows: buffer))
    }

    private static func fill(_ session: any TableSession) throws {
        // A boss with a greater number comes later: its row must not be needed at once.
        try insert(
            person, (0..<persons).map { [.integer(Int64($0)), .text("name \($0 % 7)"), .null, .null] }, session)
        for number in 0..<persons where number % 3 != 0 {
            var row = RowBuffer()
            let boss = Int64((number * 101) % persons)
            try row.append([.null, .null, .integer(Int64(number)), .integer(boss)], layout: person.layout)
            let isOne = TableKit.Predicate.compare(ColumnReference(column: 0), .equal, .integer(Int64(number)))
            _ = try session.update(UpdateStatement(person, columns: [2, 3], row: row, predicate: isOne))
        }
        try insert(
            log, (0..<60).map { [.text("line \($0 % 20)"), .real(Double($0 % 5) / 3)] }, session)
        try insert(left, (0..<10).map { [.integer($0)] }, session)
        try insert(right, (0..<10).map { [.integer($0), .integer(9 - $0)] }, session)
        let linked = TableStructure(name: "Left", columns: left.columns + [toRight], primaryKey: [0])
        var row = RowBuffer()
        try row.append([.null, .integer(4)], layout: linked.layout)
        _ = try session.update(UpdateStatement(linked, columns: [1], row: row))
        try insert(values, (0..<40).map(valueRow), session)
    }

    /// A value of each type at a border, or NULL.
    private static func valueRow(_ number: Int) -> [ColumnValue] {
        func value(_ type: ColumnType) -> ColumnValue {
            if (number + Int(type.rawValue)) % 5 == 0 { return .null }
            let isOdd = number % 2 == 1
            return switch type {
            case .bool: .bool(isOdd)
            case .int8: .integer(isOdd ? -128 : 127)
            case .int16: .integer(isOdd ? -32_768 : 32_767)
            case .int32: .integer(isOdd ? Int64(Int32.min) : Int64(Int32.max))
            case .int64: .integer(isOdd ? .min : .max)
            case .uint8: .integer(isOdd ? 0 : 255)
            case .uint16: .integer(isOdd ? 0 : 65_535)
            case .uint32: .integer(isOdd ? 0 : 4_294_967_295)
            case .uint64: isOdd ? .integer(0) : .unsigned(.max)
            case .float: .real(Double(Float(0.1)) * Double(number))
            case .double: .real(isOdd ? 0.1 : .leastNonzeroMagnitude)
            case .date: .date(Date(timeIntervalSinceReferenceDate: 0.1 + Double(number)))
            case .uuid: .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number))))
            case .string: .text(isOdd ? "it's \"ü\" 🐦 \\ \n" : "")
            case .bytes: .bytes(isOdd ? [0, 255, 39, 92] : [])
            case .json: .json(isOdd ? "{\"a\":[\(number)]}" : "12345678901234567890.1234567890\(number)0")
            }
        }
        return [.integer(Int64(number / 4)), .text("key \(number % 4)")] + ColumnType.allCases.map(value)
            + [.integer(Int64(number))]
    }
}
#endif
