#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    /// Orders and the indexes that they use.
    struct Orders {
        private struct Part: Codable {
            var id: Int
            var name: String?
            var code: String
            var weight: Double?
            var level: Int
        }

        private func withParts(
            isStrict: Bool = false, _ body: (Database<PostgresDatabaseConfiguration>, PostgresConnection) throws -> Void
        ) throws {
            try PostgresServer.withDatabase(isStrict: isStrict) { database, connection in
                try database.create(Part.self)
                try body(database, connection)
            }
        }

        private func definitions(_ connection: PostgresConnection) throws -> [String] {
            try connection.rows(
                "SELECT indexdef FROM pg_indexes WHERE tablename = 'Part' AND indexdef NOT LIKE '%Part_pkey%'",
                as: [.string]
            ).compactMap { $0[0].string }
        }

        private func columns(_ database: Database<PostgresDatabaseConfiguration>) throws -> [[String]] {
            try database.tables().flatMap(\.indexes).map(\.definition.columns)
        }

        @Test("A limited order of an indexed column sorts no table, up or down, with and without NULLs") func plans()
            throws
        {
            try withParts { database, connection in
                let table = database.table(Part.self)
                try table.index(\.name)
                try table.index(\.code)
                try table.index(\.level)
                try table.index(unique: true, \.weight)
                try table.insert(
                    (0..<10_000).map { number in
                        Part(
                            id: number, name: number % 10 == 0 ? nil : "\(number * 7919 % 10_007)",
                            code: "\(number * 31 % 10_007)", weight: number % 7 == 0 ? nil : Double(number) / 2,
                            level: number % 1000)
                    })
                try connection.run("ANALYZE \"Part\"")
                var orders: [(String, QueryPlan)] = [
                    ("id", try table.order(by: \.id).limit(10).explain()),
                    ("id descending", try table.order(descending: \.id).limit(10).explain()),
                    ("key", try table.limit(10).explain()),
                ]
                // Before version 13 the server sorts the whole table where the key follows an indexed column.
                let version = try connection.rows("SHOW server_version_num", as: [.string])[0][0].string ?? ""
                if Int(version) ?? 0 >= 130_000 {
                    let columns: [(String, PartialKeyPath<Part>)] = [
                        ("name", \.name), ("code", \.code), ("weight", \.weight), ("level", \.level),
                    ]
                    for (name, path) in columns {
                        orders.append((name, try table.order(by: path).limit(10).explain()))
                        orders.append((name + " descending", try table.order(descending: path).limit(10).explain()))
                    }
                }
                for (name, plan) in orders {
                    let steps = plan.inputs.map { $0.step.drop { $0 == " " || $0 == "-" || $0 == ">" } }
                    #expect(steps.contains { $0.hasPrefix("Index") }, "\(name): \(plan)")
                    #expect(!steps.contains { $0.hasPrefix("Sort") && !$0.hasPrefix("Sort Key") }, "\(name): \(plan)")
                }
                let names = try table.order(by: \.name).limit(1002).all().map(\.name)
                #expect(names.prefix(1000).allSatisfy { $0 == nil } && !names.suffix(2).contains(nil))
                let weights = try table.order(descending: \.weight).all().map(\.weight)
                #expect(weights.first == 4999.5 && weights.suffix(1429).allSatisfy { $0 == nil })
            }
        }

        @Test("An index of a column that can be NULL begins with the NULLs; older indexes count as the same")
        func indexes() throws {
            try withParts { database, connection in
                let table = database.table(Part.self)
                try connection.run("CREATE INDEX older ON \"Part\" (name)")
                try table.index(\.name)
                #expect(try columns(database) == [["name"]])
                try table.index(unique: true, \.name)
                try table.index(\.name)
                try table.index(\.name, \.code)
                let found = try definitions(connection)
                #expect(found.count == 2 && found.contains { $0.hasSuffix("(name NULLS FIRST)") }, "\(found)")
                #expect(found.contains { $0.hasSuffix("(name NULLS FIRST, code)") }, "\(found)")
                #expect(Set(try columns(database)) == [["name"], ["name", "code"]])
                try database.create(Part.self, policy: .reconcileTable)
                #expect(try definitions(connection).count == 2)
                try table.insert(Part(id: 1, name: "a", code: "", weight: nil, level: 0))
                let error = #expect(throws: CRUDSQLExeError.self) {
                    try table.insert(Part(id: 2, name: "a", code: "", weight: nil, level: 0))
                }
                #expect(error?.code == .unique)
            }
        }

        @Test("Strict servers get indexes without a word about NULLs") func strict() throws {
            try withParts(isStrict: true) { database, connection in
                try database.table(Part.self).index(\.name)
                #expect(try definitions(connection).allSatisfy { !$0.contains("NULLS") })
                #expect(try columns(database) == [["name"]])
            }
        }
    }
}
#endif
