#if MySQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import MySQLTables

extension MySQLTests {
    struct Types {
        static let samples: [ColumnType: [ColumnValue]] = [
            .bool: [.bool(true), .bool(false)],
            .int8: [.integer(-128), .integer(127), .integer(0)], .int16: [.integer(-32768), .integer(32767)],
            .int32: [.integer(Int64(Int32.min)), .integer(Int64(Int32.max))],
            .int64: [.integer(.min), .integer(.max)], .uint8: [.integer(0), .integer(255)],
            .uint16: [.integer(65535)], .uint32: [.integer(Int64(UInt32.max))],
            .uint64: [.integer(0), .integer(.max), .unsigned(.max), .unsigned(1 << 63)],
            .float: [
                .real(0), .real(1.5), .real(Double(Float.greatestFiniteMagnitude)),
                .real(Double(Float.leastNonzeroMagnitude)), .real(Double(-Float.pi)),
            ],
            .double: [0, 0.1, 1e-308, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -.pi].map { .real($0) },
            .date: [0, 0.1, -1, 1e12, -6.3e10, 739_000_000.123_456_789]
                .map { .date(Date(timeIntervalSinceReferenceDate: $0)) },
            .uuid: [.uuid(UUID()), .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))],
            .string: [
                "", "a", "'", "\\", "é", "e\u{301}", "🙂", "\u{0}", "\u{10ffff}", "a\nb", " ", "a ",
                String(repeating: "x", count: 100_000),
            ].map { .text($0) },
            .bytes: [.bytes([]), .bytes([0]), .bytes((0...255).map { UInt8($0) })],
            .json: [.json("{}"), .json("{\"a\" : [1,2]}"), .json("\"\u{e9}\"")],
        ]

        @Test("Values of every type come back from a column to the last bit", arguments: ColumnType.allCases)
        func roundTrip(_ type: ColumnType) throws {
            let values = try #require(Self.samples[type])
            let server = try MySQLServer.shared()
            let database = try server.makeDatabase()
            let configuration = try MySQLDatabaseConfiguration(server.url(database: database))
            let session = try configuration.engine.begin(.serial)
            let structure = TableStructure(
                name: "t", columns: [Column("id", .int64), Column("v", type, isOptional: true)], primaryKey: [0])
            try session.alter(.createTable(structure))
            try session.commit()
            let connection = try server.connection(database: database)
            defer { connection.close() }
            for (number, value) in (values + [.null]).enumerated() {
                for isRepeated in [true, false] {
                    _ = try connection.execute(
                        SQLStatement(
                            "REPLACE INTO t VALUES (?, ?)",
                            [.value(.integer(Int64(number)), .int64), .value(value, type)], isRepeated: isRepeated))
                    let found = try connection.rows("SELECT v FROM t WHERE id = \(number)", as: [type])
                    #expect(found.count == 1 && areIdentical(found[0][0], value), "\(found) instead of \(value)")
                }
                if value.isNull { continue }
                // The server finds it, as a parameter and as a literal.
                let compared: ColumnType = type == .float ? .double : type
                let literal = try MySQLDialect().literal(value, compared)
                let count = try connection.rows(
                    "SELECT COUNT(*) FROM t WHERE id = \(number) AND v = ? AND v IN (\(literal))",
                    [.value(value, compared)],
                    as: [.int64])
                #expect(count == [[.integer(1)]], "\(value)")
            }
            #expect(try Database(configuration: configuration).tables().first?.structure.columns[1].type == type)
        }

        @Test("Rows inserted together come back by key to the last bit", arguments: ColumnType.allCases)
        func copies(_ type: ColumnType) throws {
            let values = try #require(Self.samples[type])
            let server = try MySQLServer.shared()
            let configuration = try MySQLDatabaseConfiguration(server.url(database: try server.makeDatabase()))
            try CopiedRows(values, type, in: configuration.engine).check()
            try configuration.close()
        }

        @Test("Columns of other types are read where the value fits") func otherTypes() throws {
            let connection = try MySQLServer.shared().connection()
            defer { connection.close() }
            let cases: [(String, ColumnType, ColumnValue)] = [
                ("CAST(5 AS INT)", .int8, .integer(5)), ("CAST(5 AS DECIMAL(10, 0))", .int32, .integer(5)),
                ("CAST(5.0 AS DECIMAL(10, 1))", .int32, .integer(5)), ("1234.5678", .double, .real(1234.5678)),
                ("CAST(18446744073709551615 AS UNSIGNED)", .uint64, .unsigned(.max)),
                ("100000.10", .string, .text("100000.10")), ("-0.5", .string, .text("-0.5")),
                ("'42'", .int32, .integer(42)), ("'1.5'", .double, .real(1.5)), ("1", .bool, .bool(true)),
                ("CAST(1.5 AS FLOAT)", .double, .real(1.5)), ("3", .double, .real(3)), ("7", .string, .text("7")),
                ("DATE '2001-02-03'", .string, .text("2001-02-03")), ("x'0102'", .bytes, .bytes([1, 2])),
                ("TIMESTAMP '2001-02-03 04:05:06.5'", .string, .text("2001-02-03 04:05:06.500000")),
                ("TIME '-01:02:03'", .string, .text("-01:02:03")), ("b'101'", .bytes, .bytes([5])),
                (
                    "CAST('123e4567-e89b-12d3-a456-426655440000' AS UUID)", .uuid,
                    .uuid(try #require(UUID(uuidString: "123e4567-e89b-12d3-a456-426655440000")))
                ),
                ("JSON_ARRAY(1, 'a')", .json, .json("[1, \"a\"]")), ("NULL", .string, .null),
            ]
            for (expression, type, value) in cases {
                let rows = try connection.rows("SELECT \(expression)", as: [type])
                #expect(rows.first.map { areIdentical($0[0], value) } == true, "\(expression) is \(rows)")
            }
        }

        @Test("A value out of the range of its type is an error that names the column, and the connection goes on")
        func outOfRange() throws {
            let connection = try MySQLServer.shared().connection()
            defer { connection.close() }
            let cases: [(String, ColumnType)] = [
                ("300", .uint8), ("-1", .uint32), ("40000", .int16), ("18446744073709551616", .uint64), ("1.5", .int64),
                ("'a'", .int64), ("1", .uuid), ("2", .bool),
            ]
            for (expression, type) in cases {
                let error = try connectionError { _ = try connection.rows("SELECT \(expression) AS c", as: [type]) }
                #expect(error.code == .type && error.column == "c", "\(expression): \(error)")
            }
            #expect(try connection.rows("SELECT 1", as: [.int64]) == [[.integer(1)]])
        }
    }
}
#endif
