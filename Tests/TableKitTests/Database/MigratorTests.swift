import SiltstoneTesting
import Testing

@testable import TableKit

private struct Refused: Error {}

@Suite("Migrations", .timeLimit(.minutes(10)))
struct MigratorTests {
    private typealias Steps = Migrator<ReferenceDatabaseConfiguration>

    private func steps(_ names: String...) -> Steps {
        var migrator = Steps()
        for name in names {
            migrator.register(name) { db in try db.sql("CREATE TABLE \(name) (id INTEGER PRIMARY KEY)") }
        }
        return migrator
    }

    private func tables(_ db: Database<ReferenceDatabaseConfiguration>) throws -> [String] {
        try db.tables().map(\.structure.name).filter { $0 != AppliedMigration.tableName }.sorted()
    }

    @Test("each step runs once, in order")
    func once() throws {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        #expect(try steps("a", "b").migrate(db) == ["a", "b"])
        #expect(try steps("a", "b", "c").migrate(db) == ["c"])
        #expect(try steps("a", "b", "c").migrate(db) == [])
        #expect(try steps("a").applied(db) == ["a", "b", "c"])
        #expect(try tables(db) == ["a", "b", "c"])
    }

    @Test("a step that throws leaves what the steps before it did")
    func failing() throws {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        var migrator = steps("a")
        migrator.register("b") { db in
            try db.sql("CREATE TABLE b (id INTEGER PRIMARY KEY)")
            throw Refused()
        }
        #expect(throws: Refused.self) { try migrator.migrate(db) }
        #expect(try tables(db) == ["a"])
        #expect(try migrator.applied(db) == ["a"])
    }

    @Test("in a task, the steps within a transaction belong to it")
    func inTransaction() async throws {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        let migrator = steps("a", "b")
        await #expect(throws: Refused.self) {
            try await db.transaction { () async throws -> Void in
                try await migrator.migrate(db)
                throw Refused()
            }
        }
        #expect(try tables(db) == [])
        let done = try await db.transaction { try await migrator.migrate(db) }
        #expect(done == ["a", "b"])
        #expect(try tables(db) == ["a", "b"])
    }

    @Test("a database of a newer program is refused; a changed history erases where that is wanted")
    func changed() throws {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        try steps("a", "b").migrate(db)
        #expect(throws: CRUDSQLGenError.self) { try steps("a").migrate(db) }
        #expect(throws: CRUDSQLGenError.self) { try steps("a", "b", "a").migrate(db) }
        var other = steps("a", "c")
        other.eraseOnChange = true
        #expect(try other.migrate(db) == ["a", "c"])
        #expect(try tables(db) == ["a", "c"])
    }
}
