#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

/// The trigger that announces changes of other programs.
extension PostgresTests.Observation {
    private func count(_ text: String, _ connection: PostgresConnection) throws -> Int? {
        try connection.rows("SELECT count(*) FROM " + text, as: [.int64], isRepeated: false).first?.first?.int
    }

    @Test("Programs of several roles install and remove the trigger at once", .timeLimit(.minutes(10)))
    func installations() async throws {
        let server = try PostgresServer.shared()
        let name = try server.makeDatabase()
        let admin = try PostgresConnector(server.connectionString(database: name), options: PostgresOptions()).connect()
        defer { admin.close() }
        let role = "role_\(name)"
        try admin.run("CREATE ROLE \(role) LOGIN")
        try admin.run("GRANT CREATE ON SCHEMA public TO \(role)")
        let programs = try (0..<8).map { number in
            try program(server.connectionString(database: name, user: number < 4 ? "postgres" : role))
        }
        try await programs[0].create(Item.self)
        try await run(programs[4], "CREATE TABLE own (id int)")
        func all(
            _ body: @escaping @Sendable (PostgresDatabaseConfiguration, String) async throws -> Void
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, program) in programs.enumerated() {
                    group.addTask { try await body(program.configuration, number < 4 ? "Item" : "own") }
                }
                try await group.waitForAll()
            }
        }
        for _ in 0..<10 {
            try await all { try await $0.announceForeignChanges(of: $1) }
            #expect(try count("pg_trigger WHERE tgname = 'siltstone_announce'", admin) == 2)
            try await all { try await $0.withdrawForeignChanges(of: $1) }
            #expect(try count("pg_trigger WHERE tgname = 'siltstone_announce'", admin) == 0)
            #expect(try count("pg_proc WHERE proname LIKE 'siltstone_announce%'", admin) == 0)
        }
    }

    @Test("Roles with long names that begin alike have a function each", .timeLimit(.minutes(5)))
    func longNames() async throws {
        let server = try PostgresServer.shared()
        let name = try server.makeDatabase()
        let admin = try PostgresConnector(server.connectionString(database: name), options: PostgresOptions()).connect()
        defer { admin.close() }
        // The names of all but the last are too long for a name with the prefix.
        let beginning = "role_\(name)_" + String(repeating: "x", count: 60)
        let long = beginning.prefix(62)
        let roles = [long + "a", long + "b", beginning.prefix(45), beginning.prefix(44)]
        for (number, role) in roles.map(String.init).enumerated() {
            try admin.run("CREATE ROLE \(role) LOGIN")
            try admin.run("GRANT CREATE ON SCHEMA public TO \(role)")
            let program = try program(server.connectionString(database: name, user: role))
            try await run(program, "CREATE TABLE t\(number) (id int)")
            try await program.configuration.announceForeignChanges(of: "t\(number)")
        }
        #expect(try count("pg_proc WHERE proname LIKE 'siltstone_announce%'", admin) == roles.count)
        for (number, role) in roles.map(String.init).enumerated() {
            let program = try program(server.connectionString(database: name, user: role))
            try await program.configuration.withdrawForeignChanges(of: "t\(number)")
        }
        #expect(try count("pg_proc WHERE proname LIKE 'siltstone_announce%'", admin) == 0)
    }

    @Test("Installing a trigger that is there waits for nobody", .timeLimit(.minutes(5)))
    func installedTrigger() async throws {
        let text = try string()
        let program = try program(text)
        try await program.create(Item.self)
        try await program.configuration.announceForeignChanges(of: "Item")
        let writer = try PostgresConnector(text, options: PostgresOptions()).connect()
        defer { writer.close() }
        try writer.run("BEGIN")
        try writer.run("INSERT INTO \"Item\" VALUES (1, 1)")
        try await program.configuration.announceForeignChanges(of: "Item")
        // A disabled one is made anew, which needs the table.
        try writer.run("COMMIT")
        try writer.run("ALTER TABLE \"Item\" DISABLE TRIGGER siltstone_announce")
        try await program.configuration.announceForeignChanges(of: "Item")
        #expect(try count("pg_trigger WHERE tgname = 'siltstone_announce' AND tgenabled = 'O'", writer) == 1)
    }

    @Test("The trigger announces changes of sessions with any search path", .timeLimit(.minutes(5)))
    func searchPath() async throws {
        let text = try string()
        let observer = try program(text)
        try await observer.create(Item.self)
        try await observer.configuration.announceForeignChanges(of: "Item")
        var values = try values(observer)
        try await take([], &values)
        let writer = try PostgresConnector(text, options: PostgresOptions()).connect()
        defer { writer.close() }
        // A function of this name that does nothing.
        try writer.run("CREATE SCHEMA other")
        try writer.run(
            "CREATE FUNCTION other.pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT NULL::void'")
        try writer.run("SET search_path = other, pg_catalog")
        try writer.run("INSERT INTO public.\"Item\" VALUES (7, 8)")
        try await take([8], &values)
    }

    @Test("A table that does not exist gets no trigger") func missingTable() async throws {
        let program = try program(try string())
        let installing = await #expect(throws: CRUDSQLExeError.self) {
            try await program.configuration.announceForeignChanges(of: "nothing")
        }
        #expect(installing?.code == .noTable)
        let removing = await #expect(throws: CRUDSQLExeError.self) {
            try await program.configuration.withdrawForeignChanges(of: "nothing")
        }
        #expect(removing?.code == .noTable)
    }
}
#endif
