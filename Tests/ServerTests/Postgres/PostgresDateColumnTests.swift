#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    /// Date columns of tables that other programs have made.
    struct DateColumns {
        private struct Visit: Codable, Equatable {
            var id: Int
            var at: Date?
            var local: Date?
            var day: Date?
            var own: Date?
        }

        private static let midnight = Date(timeIntervalSinceReferenceDate: 700_012_800)
        private static let noon = Date(timeIntervalSinceReferenceDate: 700_056_000.123_456)

        private func withTable(
            isStrict: Bool, _ body: (Database<PostgresDatabaseConfiguration>, PostgresConnection) throws -> Void
        ) throws {
            let statements = [
                "CREATE TABLE \"Visit\" (id bigint PRIMARY KEY, at timestamptz, local timestamp(6), day date,"
                    + " own double precision)",
                "COMMENT ON COLUMN \"Visit\".own IS 'siltstone {\"type\":\"date\"}'",
            ]
            try PostgresServer.withDatabase(isStrict: isStrict, after: statements) { database, connection in
                // Siltstone writes and reads UTC, whatever the time zone of its sessions, which have not begun yet.
                try connection.run("ALTER DATABASE \(try name(connection)) SET timezone = 'Asia/Tokyo'")
                try body(database, connection)
            }
        }

        private func name(_ connection: PostgresConnection) throws -> String {
            try connection.rows("SELECT current_database()::text", as: [.string])[0][0].string ?? ""
        }

        private func visit(_ id: Int, _ date: Date?) -> Visit {
            Visit(id: id, at: date, local: date, day: date.map { _ in Self.midnight }, own: date)
        }

        @Test("Rows are inserted, changed and replaced", arguments: [false, true]) func changes(isStrict: Bool) throws {
            try withTable(isStrict: isStrict) { database, connection in
                let table = database.table(Visit.self)
                let given = Visit(id: 1, at: Self.noon, local: Self.noon, day: Self.noon, own: Self.noon)
                try table.insert(given)
                try table.insert(
                    [2, 3, 4].map { id in
                        var visit = given
                        visit.id = id
                        if id == 4 { (visit.at, visit.local, visit.day, visit.own) = (nil, nil, nil, nil) }
                        return visit
                    })
                try table.upsert(given)
                let expected = (1...4).map { visit($0, $0 == 4 ? nil : Self.noon) }
                #expect(try table.order(by: \.id).all() == expected)
                let texts = try connection.rows(
                    "SELECT (at AT TIME ZONE 'UTC')::text, local::text, day::text FROM \"Visit\" WHERE id = 1",
                    as: [.string, .string, .string])
                #expect(
                    texts == [
                        [
                            .text("2023-03-09 12:00:00.123456"), .text("2023-03-09 12:00:00.123456"),
                            .text("2023-03-09"),
                        ]
                    ])
                let later = Self.noon.addingTimeInterval(1)
                try table.where(\Visit.at == Self.noon && \Visit.id == 2).update(visit(2, later))
                #expect(try table.find(2) == visit(2, later))
                #expect(try table.where(\Visit.local == later).count() == 1)
                let ends = [
                    Date(timeIntervalSinceReferenceDate: .infinity), .init(timeIntervalSinceReferenceDate: -.infinity),
                ]
                try table.where(\Visit.id == 3).update(
                    Visit(id: 3, at: ends[0], local: ends[1], day: ends[0], own: nil))
                #expect(try table.find(3)?.at == ends[0])
                #expect(try table.find(3)?.local == ends[1])
                #expect(try table.find(3)?.day == ends[0])
            }
        }

        @Test("Conditions and orders", arguments: [false, true]) func conditions(isStrict: Bool) throws {
            try withTable(isStrict: isStrict) { database, _ in
                let table = database.table(Visit.self)
                try table.insert((0..<4).map { visit($0, Self.noon.addingTimeInterval(Double($0))) })
                try table.insert(visit(9, nil))
                let two = Self.noon.addingTimeInterval(2)
                #expect(try table.order(by: \.id).where(\Visit.at > two).all().map(\.id) == [3])
                #expect(try table.order(by: \.id).where(\Visit.local <= two).all().map(\.id) == [0, 1, 2])
                #expect(try table.order(by: \.id).where(\Visit.at ~ [Self.noon, two]).all().map(\.id) == [0, 2])
                #expect(try table.where(\Visit.day == Self.midnight).count() == 4)
                // A day is its midnight.
                #expect(try table.where(\Visit.day >= Self.noon).count() == 0)
                #expect(try table.order(descending: \.at).all().map(\.id) == [3, 2, 1, 0, 9])
                #expect(try table.where(\Visit.at == \Visit.local).count() == 4)
                #expect(try table.where(\Visit.at == \Visit.own).count() == 4)
                #expect(try table.where(\Visit.at > \Visit.day).count() == 4)
                #expect(try table.max(\.at) == Self.noon.addingTimeInterval(3))
            }
        }
    }
}
#endif
