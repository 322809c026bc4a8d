#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    /// What observers hear of commits of other programs.
    struct Observation {
        struct Item: Codable, Sendable, Equatable {
            var id: Int
            var size: Int
        }

        func string() throws -> String {
            let server = try PostgresServer.shared()
            return server.connectionString(database: try server.makeDatabase())
        }

        /// A program of its own: another pool, another sender of announcements.
        func program(
            _ text: String, _ change: (inout PostgresOptions) -> Void = { _ in }
        ) throws -> Database<PostgresDatabaseConfiguration> {
            var options = PostgresOptions()
            options.maximumConnections = 4
            change(&options)
            return Database(configuration: try PostgresDatabaseConfiguration(text, options: options))
        }

        typealias Values = AsyncThrowingStream<[Item], any Error>.Iterator

        func values(_ database: Database<PostgresDatabaseConfiguration>) throws -> Values {
            try database.table(Item.self).order(by: \.id).values().makeAsyncIterator()
        }

        /// Takes values until one is as wanted.
        func take(_ sizes: [Int], _ values: inout Values) async throws {
            while let value = try await values.next(isolation: #isolation) { if value.map(\.size) == sizes { return } }
            throw ServerFailure("The observation ended before \(sizes).")
        }

        func run(_ database: Database<PostgresDatabaseConfiguration>, _ text: String) async throws {
            try await database.configuration.server.pool.withConnection { try $0.run(text) }
        }

        @Test(
            "A refused login and an unknown database end an observation at once, in whichever mode",
            .timeLimit(.minutes(10)))
        func refusals() async throws {
            let server = try PostgresServer(hba: ["host all locked 127.0.0.1/32 scram-sha-256"])
            defer { server.remove() }
            let admin = try server.connection()
            try admin.run("CREATE ROLE locked LOGIN PASSWORD 'right'")
            admin.close()
            let locked = server.networkString(user: "locked")
            for (text, code) in [
                (locked + " password=wrong", "28P01"), (locked, "28P01"),
                (server.networkString(database: "nowhere"), "3D000"),
            ] {
                for observation in [PostgresObservation.announced, .polled] {
                    let database = try program(text) {
                        $0.observation = observation
                        // A retry would not end within the test's limit.
                        $0.failoverTimeout = .seconds(3600)
                    }
                    var values = try values(database)
                    let error = await #expect(throws: CRUDSQLExeError.self) {
                        _ = try await values.next(isolation: #isolation)
                    }
                    #expect(error?.code == .unavailable && error?.message.contains(code) == true, "\(error as Any)")
                    try await database.close()
                }
            }
        }

        @Test("A commit of another program reaches the observer, in whichever mode", .timeLimit(.minutes(10)))
        func otherProgram() async throws {
            for isPolled in [false, true] {
                let text = try string()
                let (observer, writer) = (
                    try program(text) {
                        $0.observation = isPolled ? .polled : .announced
                        $0.pollingInterval = .milliseconds(20)
                    }, try program(text)
                )
                try await writer.create(Item.self)
                var values = try values(observer)
                try await take([], &values)
                try await writer.table(Item.self).insert(Item(id: 1, size: 1))
                try await take([1], &values)
                try await writer.transaction {
                    try await writer.table(Item.self).insert(Item(id: 2, size: 2))
                    try await writer.table(Item.self).where(\Item.id == 1).update(Item(id: 1, size: 3))
                }
                try await take([3, 2], &values)
                try await writer.table(Item.self).where(\Item.id == 1).delete()
                try await take([2], &values)
            }
        }

        @Test("Nobody announces anything unless somebody observes", .timeLimit(.minutes(10)))
        func announcements() async throws {
            let text = try string()
            let (observer, writer, witness) = (try program(text), try program(text), try program(text))
            try await writer.create(Item.self)
            // Listens without saying so.
            let pool = witness.configuration.server.pool
            let connection = try await pool.acquire()
            defer { connection.close() }
            func heard() async throws -> [String] {
                try await pool.threads.run {
                    try connection.run("SELECT 1")
                    return connection.notifications()
                }
            }
            try await pool.threads.run { try connection.run("LISTEN \(CommitChannel.name)") }
            try await writer.table(Item.self).insert(Item(id: 1, size: 1))
            #expect(try await heard() == [])
            var values = try values(observer)
            try await take([1], &values)
            try await writer.table(Item.self).insert(Item(id: 2, size: 2))
            try await take([1, 2], &values)
            // The server tells its listeners one after the other: first that somebody observes.
            var messages: [String] = []
            while messages.count < 2 { messages += try await heard() }
            #expect(messages.map { CommitChannel.message($0).tables } == [nil, ["Item"]])
            // The end of the last observer's connections ends the announcements.
            try await observer.close()
            while try await holders(writer) != 0 {}
            try await writer.table(Item.self).insert(Item(id: 3, size: 3))
            #expect(try await heard() == [])
        }

        /// The number of sessions that hold the lock.
        /// - Parameter condition: more about the row of `pg_locks`.
        func holders(
            _ database: Database<PostgresDatabaseConfiguration>, where condition: String = "true"
        ) async throws -> Int? {
            let question = "SELECT count(*) FROM pg_locks WHERE \(CommitChannel.isHeld) AND \(condition)"
            return try await database.configuration.server.pool.withConnection { connection in
                try connection.rows(question, as: [.int64]).first?.first?.int
            }
        }

        /// The session that holds the lock.
        private static let holder = "pid = (SELECT pid FROM pg_locks WHERE \(CommitChannel.isHeld))"

        @Test("An observer hears of commits again after the network has lost its lock", .timeLimit(.minutes(2)))
        func lostLock() async throws {
            let server = try PostgresServer.shared()
            let name = try server.makeDatabase()
            let way = try LongWay(to: server.port)
            defer { way.end() }
            let observer = try program("host=127.0.0.1 port=\(way.port) user=postgres dbname=\(name)")
            let writer = try program(server.connectionString(database: name))
            try await writer.create(Item.self)
            var values = try values(observer)
            try await take([], &values)
            let pool = writer.configuration.server.pool
            let question = "SELECT client_port, pid FROM pg_stat_activity WHERE " + Self.holder
            let session = try await pool.withConnection { try $0.rows(question, as: [.int64, .int64]) }.first
            let process = Int32(try #require(session?.last?.int))
            way.lose(try #require(session?.first?.int))
            try await run(writer, "SELECT pg_terminate_backend(\(process))")
            while try await holders(writer, where: "pid = \(process)") != 0 {}
            // Nobody announces it.
            try await writer.table(Item.self).insert(Item(id: 1, size: 1))
            try await take([1], &values)
        }

        @Test("Observers go on when the connections of one, or of all, are lost", .timeLimit(.minutes(10)))
        func lostConnections() async throws {
            let text = try string()
            let (first, second, writer) = (try program(text), try program(text), try program(text))
            try await writer.create(Item.self)
            var (one, other) = (try values(first), try values(second))
            try await take([], &one)
            try await take([], &other)
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
            let holder = Self.holder
            let ends = [
                // The one that holds the lock, then the one that has got it since.
                holder, holder,
                "datname = current_database() AND query LIKE 'LISTEN%'",
                "datname = current_database()",
            ]
            for (number, condition) in ends.enumerated() {
                try await run(writer, end + condition)
                // The writer's own connections may be among those that were lost.
                while try await !isStored(Item(id: number, size: number), writer) {}
                try await take(Array(0...number), &one)
                try await take(Array(0...number), &other)
            }
        }

        /// Stores an item; false where a connection is lost before.
        private func isStored(_ item: Item, _ database: Database<PostgresDatabaseConfiguration>) async throws -> Bool {
            do { try await database.table(Item.self).upsert(item) } catch let error as CRUDSQLExeError
                where error.code == .unavailable
            { return false }
            return true
        }

        @Test("No commit is lost to observers that begin and end beside writers", .timeLimit(.minutes(10)))
        func races() async throws {
            let text = try string()
            let writers = try (0..<2).map { _ in try program(text) }
            let observer = try program(text)
            try await observer.create(Item.self)
            try await observer.table(Item.self).insert(Item(id: 0, size: 0))
            for round in 1...10 {
                let begin = (round - 1) * 20
                let changes = Task {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for writer in writers {
                            group.addTask {
                                for _ in 0..<10 {
                                    try await writer.transaction { () -> Void in
                                        let size = try await writer.table(Item.self).find(0)?.size ?? 0
                                        try await writer.table(Item.self).update(Item(id: 0, size: size + 1))
                                    }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                // A program that observes from some moment on.
                let late = try program(text)
                var values = try values(round.isMultiple(of: 2) ? late : observer)
                try await take([begin + 20], &values)
                try await changes.value
                try await late.close()
            }
        }

        @Test("A trigger announces what other programs change", .timeLimit(.minutes(10))) func trigger() async throws {
            let text = try string()
            let observer = try program(text)
            try await observer.create(Item.self)
            try await observer.configuration.announceForeignChanges(of: "Item")
            try await observer.configuration.announceForeignChanges(of: "Item")
            var values = try values(observer)
            try await take([], &values)
            try await run(observer, "INSERT INTO \"Item\" VALUES (7, 8)")
            try await take([8], &values)
            try await run(observer, "UPDATE \"Item\" SET size = 9")
            try await take([9], &values)
            try await run(observer, "TRUNCATE \"Item\"")
            try await take([], &values)
        }

        @Test("Closing the database ends observations with an error", .timeLimit(.minutes(10)))
        func closing() async throws {
            let observer = try program(try string())
            try await observer.create(Item.self)
            var values = try values(observer)
            try await take([], &values)
            try await observer.close()
            let error = await #expect(throws: CRUDSQLExeError.self) { while try await values.next() != nil {} }
            #expect(error?.code == .unavailable)
            var later = try self.values(observer)
            let second = await #expect(throws: CRUDSQLExeError.self) { while try await later.next() != nil {} }
            #expect(second?.code == .unavailable)
        }

        @Test("A name of a table that no message holds is announced as any table") func longNames() {
            let names = Set((0..<300).map { "table_\($0)_" + String(repeating: "x", count: 50) })
            let statement = CommitChannel.announcement(of: names, by: "me")
            guard case .value(.text(let text), _)? = statement.parameters.first else {
                Issue.record("The announcement has no text.")
                return
            }
            #expect(text.utf8.count < 100)
            let message = CommitChannel.message(text)
            #expect(message.tables == nil && message.sender == "me")
            #expect(CommitChannel.message("anything else").tables == nil)
        }
    }
}
#endif
