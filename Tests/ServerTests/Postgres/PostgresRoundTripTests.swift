#if PostgreSQL
import CRUDKit
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    /// How often an operation waits for the server. Over a network, that is what it costs.
    struct RoundTrips {
        struct Person: Codable, Sendable, Equatable {
            var id: Int
            var name: String
            var age: Int?
        }

        struct Pet: Codable, Sendable {
            var id: Int
            var owner: Int
        }

        struct Owner: Codable, Sendable, TableNameProvider {
            static let tableName = "Person"
            var id: Int
            var pets: [Pet]?
        }

        private let database: Database<PostgresDatabaseConfiguration>

        /// A database over one connection, which knows its tables.
        init() throws {
            let server = try PostgresServer.shared()
            var options = PostgresOptions()
            options.maximumConnections = 1
            options.healthCheckAfter = 3600  // A check is a round trip, too.
            database = Database(
                configuration: try PostgresDatabaseConfiguration(
                    server.connectionString(database: try server.makeDatabase()), options: options))
            try database.create(Person.self)
            try database.create(Pet.self)
            try people.insert((1...3).map { Person(id: $0, name: "p\($0)") })
            try database.table(Pet.self).insert([Pet(id: 1, owner: 1), Pet(id: 2, owner: 1)])
            _ = try people.count()
        }

        private var people: Table<Person, Database<PostgresDatabaseConfiguration>> { database.table(Person.self) }

        /// Expects that work waits for so many round trips.
        private func expect(
            _ count: Int, at location: SourceLocation = #_sourceLocation, _ work: () throws -> Void
        ) throws {
            let pool = database.configuration.server.pool
            let before = try pool.withConnection { $0.roundTrips.waited }
            try work()
            let after = try pool.withConnection { $0.roundTrips.waited }
            #expect(after - before == count, sourceLocation: location)
        }

        private func expectInTask(
            _ count: Int, at location: SourceLocation = #_sourceLocation, _ work: () async throws -> Void
        ) async throws {
            let pool = database.configuration.server.pool
            let before = try await pool.withConnection { $0.roundTrips.waited }
            try await work()
            let after = try await pool.withConnection { $0.roundTrips.waited }
            #expect(after - before == count, sourceLocation: location)
        }

        @Test("Reads") func reads() throws {
            try expect(1) { try #expect(people.find(2)?.name == "p2") }
            try expect(1) { try #expect(people.count() == 3) }
            try expect(1) { try #expect(people.where(\Person.age == nil).max(\.id) == 3) }
            try expect(1) { try #expect(people.limit(2).all().count == 2) }
            try expect(1) { try #expect(people.order(by: \.id).all().map(\.id) == [1, 2, 3]) }
            try expect(1) { try #expect(people.order(by: \.id).first()?.id == 1) }
            // The parents, then the rows of the join.
            let owners = database.table(Owner.self)
            try expect(2) {
                let found = try owners.order(by: \.id).join(\.pets, on: \.id, equals: \.owner).all()
                #expect(found.map { $0.pets?.count } == [2, 0, 0])
            }
        }

        @Test("Reads of a state that several share, and long ones") func longReads() throws {
            try expect(2) {
                try database.read {
                    _ = try people.count()
                    _ = try people.find(1)
                }
            }
            try people.insert((10..<2000).map { Person(id: $0, name: "") })
            // Batches of 500.
            try expect(4) { try #expect(people.all().count == 1993) }
            // What is left of a result costs nothing.
            try expect(1) { for _ in try people.select() { break } }
            #expect(try people.count() == 1993)
        }

        @Test("Results that are left and results that are read share a transaction's names") func cursors() throws {
            try people.insert((10..<1200).map { Person(id: $0, name: "") })
            for _ in 0..<3 {
                for _ in try people.select() { break }
                try database.read {
                    for _ in 0..<3 {
                        var results = [try people.select().makeIterator(), try people.select().makeIterator()]
                        for index in results.indices { #expect(results[index].next() != nil) }
                        #expect(try people.all().count == 1193)
                    }
                }
            }
        }

        @Test("Changes outside of a transaction") func changes() throws {
            try expect(1) { try people.insert(Person(id: 4, name: "four")) }
            try expect(1) { try people.insert([Person(id: 5, name: ""), Person(id: 6, name: "")]) }
            try expect(1) { try people.upsert(Person(id: 4, name: "vier")) }
            try expect(1) { try people.where(\Person.id == 4).update(Person(id: 4, name: "IV")) }
            try expect(1) { try people.where(\Person.id == 4).delete() }
            #expect(try people.order(by: \.id).all().map(\.id) == [1, 2, 3, 5, 6])
            // Two statements of 2,000 rows and one of the rest go together.
            try expect(1) { try people.insert((100..<4600).map { Person(id: $0, name: "") }) }
            #expect(try people.count() == 4505)
        }

        @Test("Changes outside of a transaction, in a task: a cancellation must not meet their COMMIT")
        func changesInTask() async throws {
            try await expectInTask(2) { try await people.insert(Person(id: 4, name: "four")) }
            try await expectInTask(2) { try await people.where(\Person.id == 4).update(Person(id: 4, name: "IV")) }
            try await expectInTask(2) { try await people.where(\Person.id == 4).delete() }
            #expect(try await people.count() == 3)
        }

        @Test("Transactions") func transactions() throws {
            let person = Person(id: 1, name: "changed")
            try expect(2) {
                try database.transaction { () -> Void in try people.where(\Person.id == 1).update(person) }
            }
            try expect(4) {
                try database.transaction {
                    let found = try people.find(1)
                    #expect(found == person)
                    try people.where(\Person.id == 1).update(Person(id: 1, name: "again"))
                    try people.insert(Person(id: 7, name: "seven"))
                }
            }
            try expect(0) { try database.transaction {} }
            // Nested transactions are savepoints, which go with their statements.
            try expect(3) {
                try database.transaction {
                    try database.transaction { () -> Void in try people.insert(Person(id: 8, name: "")) }
                    try database.transaction { () -> Void in try people.insert(Person(id: 9, name: "")) }
                }
            }
            try expect(0) { try database.read {} }
        }

        @Test("A statement that fails takes itself back, and nothing else") func failures() throws {
            try database.transaction {
                // The first of a transaction, which needs no savepoint.
                #expect(throws: CRUDSQLExeError.self) { try people.insert(Person(id: 1, name: "twice")) }
                try people.insert(Person(id: 10, name: "ten"))
                #expect(throws: CRUDSQLExeError.self) { try people.insert(Person(id: 10, name: "twice")) }
                // Not sent at all, with its savepoint.
                #expect(throws: CRUDSQLExeError.self) { try people.insert(Person(id: 11, name: "a\0b")) }
                try people.insert(Person(id: 12, name: "twelve"))
            }
            #expect(try people.order(by: \.id).where(\Person.id >= 10).all().map(\.id) == [10, 12])
            // Outside of a transaction.
            #expect(throws: CRUDSQLExeError.self) { try people.insert(Person(id: 1, name: "twice")) }
            #expect(throws: CRUDSQLExeError.self) {
                try people.insert([Person(id: 13, name: ""), Person(id: 1, name: "twice")])
            }
            #expect(try people.count() == 5)
        }

        @Test("Repositories") func repositories() async throws {
            let repository = PostgresRepository(configuration: database.configuration, tableName: "r")
            try await repository.create(id: "a", item: 1)
            try await expectInTask(1) { _ = try await repository.read(id: "a") as Int }
            try await expectInTask(1) { try await repository.create(id: "b", item: 2) }
            try await expectInTask(2) { try await repository.createAll((0..<500).map { ("c\($0)", $0) }) }
            try await expectInTask(2) { try await repository.deleteAll(ids: (0..<500).map { "c\($0)" }) }
        }
    }
}
#endif
