#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    struct Types {
        private static let dialect = PostgresDialect()

        /// Values of each type, up to its limits.
        static let samples: [(ColumnType, [ColumnValue])] = [
            (.bool, [.bool(true), .bool(false)]),
            (.int8, [0, 1, -1, 127, -128].map { .integer($0) }),
            (.int16, [0, 32_767, -32_768].map { .integer($0) }),
            (.int32, [0, 2_147_483_647, -2_147_483_648].map { .integer($0) }),
            (.int64, [0, .max, .min, 1 << 53 + 1].map { .integer($0) }),
            (.uint8, [0, 128, 255].map { .integer($0) }),
            (.uint16, [0, 32_768, 65_535].map { .integer($0) }),
            (.uint32, [0, 1 << 31, 4_294_967_295].map { .integer($0) }),
            (
                .uint64,
                ([0, 1, 9999, 10_000, 100_000_000, 1 << 63, .max, .max - 1, 10_000_000_000_000_000_000] as [UInt64])
                    .map { ColumnValue($0) }
            ),
            (
                .float,
                [0, -0.0, 1.5, Double(Float.greatestFiniteMagnitude), Double(Float.leastNonzeroMagnitude), .infinity]
                    .map { .real($0) } + [.real(-.infinity), .real(Double(Float.nan))]
            ),
            (
                .double,
                [0, -0.0, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity, .nan]
                    .map { .real($0) }
            ),
            (
                .date,
                [0, 0.1, -1, 1e12, -6.3e10, .infinity, -.infinity, 739_000_000.123_456_789]
                    .map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            ),
            (.uuid, [.uuid(UUID()), .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))]),
            (
                .string,
                ["", "a", "'", "\"", "\\", "$1", "é", "e\u{301}", "🙂", "\u{1}", "\u{10ffff}", "a\nb", "; DROP TABLE x"]
                    .map { .text($0) } + [.text(String(repeating: "x", count: 100_000))]
            ),
            (.bytes, [.bytes([]), .bytes([0]), .bytes((0...255).map { UInt8($0) })]),
            (.json, [.json("{}"), .json("{\"a\" : [1,2]}"), .json("\"\u{e9}\"")]),
        ]

        private func values(_ type: ColumnType) throws -> [ColumnValue] {
            try #require(Self.samples.first { $0.0 == type }?.1)
        }

        @Test("Values of every type come back to the last bit", arguments: ColumnType.allCases)
        func roundTrip(_ type: ColumnType) throws {
            let values = try values(type)
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            let placeholder = Self.dialect.placeholder(1, type)
            for isRepeated in [true, false] {
                for value in values + [.null] {
                    let rows = try connection.rows(
                        "SELECT \(placeholder)", [.value(value, type)], as: [type], isRepeated: isRepeated)
                    let found = try #require(rows.first?.first)
                    #expect(areIdentical(found, value), "\(found) instead of \(value)")
                }
            }
        }

        @Test("Arrays of every type come back in order, with NULLs", arguments: ColumnType.allCases)
        func arrays(_ type: ColumnType) throws {
            let values = try values(type)
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            let placeholder = Self.dialect.arrayPlaceholder(1, type)
            for array in [values, [.null] + values + [.null], [.null], []] {
                let rows = try connection.rows(
                    "SELECT x FROM unnest(\(placeholder)) WITH ORDINALITY AS u(x, n) ORDER BY n", [.array(array, type)],
                    as: [type])
                #expect(rows.count == array.count)
                for (row, value) in zip(rows, array) { #expect(areIdentical(row[0], value)) }
            }
        }

        @Test("Rows inserted together come back by key to the last bit", arguments: ColumnType.allCases)
        func copies(_ type: ColumnType) throws {
            let server = try PostgresServer.shared()
            let database = try server.makeDatabase()
            let configuration = try PostgresDatabaseConfiguration(server.connectionString(database: database))
            let rows = try CopiedRows(try values(type), type, in: configuration.engine)
            try rows.check()
            // The prepared statement of the look-up no longer fits.
            let string = server.connectionString(database: database)
            let other = try PostgresConnector(string, options: PostgresOptions()).connect()
            defer { other.close() }
            try other.run("ALTER TABLE copies ALTER t TYPE varchar(100)")
            try rows.check()
            try configuration.close()
        }

        @Test("The server reads what was sent as it was meant") func textForms() throws {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            let texts: [(ColumnValue, ColumnType, String)] = [
                (.unsigned(.max), .uint64, "18446744073709551615"), (.integer(100_000_000), .uint64, "100000000"),
                (.integer(0), .uint64, "0"), (.integer(-5), .int16, "-5"), (.real(0.1), .double, "0.1"),
                (.bytes([1, 255]), .bytes, "\\x01ff"), (.bool(true), .bool, "true"),
            ]
            for (value, type, text) in texts {
                let rows = try connection.rows(
                    "SELECT \(Self.dialect.placeholder(1, type))::text", [.value(value, type)], as: [.string])
                #expect(rows == [[.text(text)]])
            }
        }

        @Test("Bytes that are no number of the server's are none") func malformedNumbers() {
            func number(_ words: UInt16...) -> String? {
                words.map(\.bigEndian).withUnsafeBytes { WireNumeric(WireCell($0))?.text }
            }
            #expect(number(1, 0, 0, 0, 9999) == "9999")
            #expect(number(1, 0, 0, 0, 10_000) == nil && number(1, 0, 0, 0, 0xFFFF) == nil)
            #expect(number(1, 0, 0x1234, 0, 1) == nil && number(2, 0, 0, 0, 1) == nil)
        }

        @Test("Columns of other types are read where the value fits") func otherTypes() throws {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            let cases: [(String, ColumnType, ColumnValue)] = [
                ("5::smallint", .int64, .integer(5)), ("5::bigint", .int8, .integer(5)),
                ("5::numeric", .int32, .integer(5)), ("5.0::numeric", .int32, .integer(5)),
                ("-9223372036854775808::numeric", .int64, .integer(.min)),
                ("18446744073709551615::numeric", .uint64, .unsigned(.max)),
                ("1234.5678::numeric", .double, .real(1234.5678)), ("0.00012::numeric", .string, .text("0.00012")),
                ("100000.10::numeric", .string, .text("100000.10")), ("-0.5::numeric", .string, .text("-0.5")),
                ("12345678901234567890.123::numeric", .string, .text("12345678901234567890.123")),
                ("0::numeric", .string, .text("0")), ("'NaN'::numeric", .string, .text("NaN")),
                ("'42'::text", .int32, .integer(42)), ("'1.5'::varchar", .double, .real(1.5)),
                ("'x'::char(3)", .string, .text("x  ")), ("1::integer", .bool, .bool(true)),
                ("1.5::real", .double, .real(1.5)), ("3::integer", .double, .real(3)),
                ("'2001-01-01'::date", .date, .date(Date(timeIntervalSinceReferenceDate: 0))),
                ("'2000-12-31'::date", .date, .date(Date(timeIntervalSinceReferenceDate: -86_400))),
                ("'infinity'::date", .date, .date(Date(timeIntervalSinceReferenceDate: .infinity))),
                (
                    "'2001-01-01 00:00:01.5+00'::timestamptz", .date, .date(Date(timeIntervalSinceReferenceDate: 1.5))
                ),
                ("'2001-01-02'::timestamp", .date, .date(Date(timeIntervalSinceReferenceDate: 86_400))),
                ("'-infinity'::timestamptz", .date, .date(Date(timeIntervalSinceReferenceDate: -.infinity))),
                ("'[1]'::jsonb", .json, .json("[1]")), ("'[1]'::json", .json, .json("[1]")),
                ("'name'::name", .string, .text("name")), ("5::oid", .int64, .integer(5)),
            ]
            for (expression, type, value) in cases {
                let rows = try connection.rows("SELECT \(expression)", as: [type])
                #expect(rows.first.map { areIdentical($0[0], value) } == true, "\(expression) is \(rows)")
            }
            #expect(try connection.rows("SELECT 'NaN'::numeric", as: [.double])[0][0] != .null)
        }

        @Test("A value out of the range of its type is an error that names the column, and the connection goes on")
        func outOfRange() throws {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            let cases: [(String, ColumnType)] = [
                ("300::integer", .uint8), ("-1::integer", .uint32), ("40000::bigint", .int16),
                ("18446744073709551616::numeric", .uint64), ("1.5::numeric", .int64), ("'NaN'::numeric", .int64),
                ("'a'::text", .int64), ("1::integer", .uuid), ("2::integer", .bool), ("'{1}'::integer[]", .string),
                ("point(1, 2)", .string),
            ]
            for (expression, type) in cases {
                let error = try connectionError { _ = try connection.rows("SELECT \(expression) AS c", as: [type]) }
                #expect(error.code == .type && error.column == "c", "\(expression): \(error)")
            }
            #expect(try connection.rows("SELECT 1", as: [.int64]) == [[.integer(1)]])
            let error = try connectionError { _ = try connection.rows("SELECT 1, 2", as: [.int64]) }
            #expect(error.code == .argument)
        }

        @Test("A value that does not fit its parameter is refused before anything is sent") func unfitParameters()
            throws
        {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            let cases: [(ColumnValue, ColumnType)] = [
                (.integer(70_000), .int16), (.integer(-1), .uint64), (.text("a"), .int64), (.bytes([1]), .string),
                (.text("a\0b"), .string), (.text("\0"), .json),
            ]
            for (value, type) in cases {
                let error = try connectionError {
                    _ = try connection.executeAll([
                        SQLStatement("CREATE TEMPORARY TABLE sent (a integer)"),
                        SQLStatement("SELECT \(Self.dialect.placeholder(1, type))", [.value(value, type)]),
                    ])
                }
                #expect(error.code == .type, "\(error)")
            }
            #expect(try connection.rows("SELECT to_regclass('sent')::text", as: [.string]) == [[.null]])
        }
    }
}
#endif
