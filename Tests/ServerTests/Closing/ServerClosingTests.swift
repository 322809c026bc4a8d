#if PostgreSQL || MySQL
import CRUDKit
import Foundation
import TestServers
import TableKit
import TableSQL
import Testing

/// What the end of a configuration promises, on each server.
struct ServerClosing<C: DatabaseConfigurationProtocol, R: SQLRecordRepository> {
    struct Item: Codable, Sendable, Equatable {
        var id: Int
    }

    /// A configuration of an empty database, or of one that exists.
    let configuration: @Sendable (_ database: String) throws -> C
    let repository: @Sendable (C, _ name: String) -> R
    let database: String

    private func open() throws -> Database<C> { Database(configuration: try configuration(database)) }

    /// Each operation of a repository throws at once: waiting for another server would not end within the test's limit.
    private func checkRefusals(_ repository: R) async {
        await #expect(throws: CRUDRepositoryError.self) { try await repository.create(id: "b", item: 1) }
        await #expect(throws: CRUDRepositoryError.self) { try await repository.createAll([(id: "c", item: 1)]) }
        await #expect(throws: CRUDRepositoryError.self) { try await repository.update(id: "a", item: 1) }
        await #expect(throws: CRUDRepositoryError.self) { _ = try await repository.read(id: "a") as Int }
        await #expect(throws: CRUDRepositoryError.self) { _ = try await repository.exists(id: "a") }
        await #expect(throws: CRUDRepositoryError.self) { try await repository.delete(id: "a") }
        await #expect(throws: CRUDRepositoryError.self) { _ = try await repository.ids() }
        await #expect(throws: CRUDRepositoryError.self) { _ = try await repository.count() }
    }

    private func checkRefusals(_ database: Database<C>) async {
        let read = await #expect(throws: CRUDSQLExeError.self) { try await database.table(Item.self).count() }
        #expect(read?.code == .unavailable)
        let change = await #expect(throws: CRUDSQLExeError.self) {
            try await database.table(Item.self).insert(Item(id: 9))
        }
        #expect(change?.code == .unavailable)
        let transaction = await #expect(throws: CRUDSQLExeError.self) { try await database.transaction {} }
        #expect(transaction?.code == .unavailable)
    }

    /// Either end of a configuration, its own or a repository's, is that of all that was made from it.
    func all(byRepository: Bool) async throws {
        let configuration = try configuration(database)
        let (first, copy) = (Database(configuration: configuration), Database(configuration: configuration))
        let repositories = [repository(configuration, "t"), repository(configuration, "u")]
        try await first.create(Item.self)
        for repository in repositories { try await repository.create(id: "a", item: 1) }
        for _ in 0..<2 { if byRepository { repositories[0].close() } else { try await copy.close() } }
        for repository in repositories { await checkRefusals(repository) }
        for database in [first, copy] { await checkRefusals(database) }
        // Another configuration of the database is another use.
        let other = try open()
        #expect(try await other.table(Item.self).count() == 0)
        #expect(try await repository(other.configuration, "t").ids() == ["a"])
        try await other.close()
    }

    /// One that was never used ends the same way, and one without a server that answers.
    func unused() async throws {
        let configuration = try configuration(database)
        let repository = repository(configuration, "t")
        repository.close()
        await checkRefusals(repository)
        await checkRefusals(Database(configuration: configuration))
    }

    func openTransaction() async throws {
        let database = try open()
        try await database.create(Item.self)
        let repository = repository(database.configuration, "t")
        let error = await #expect(throws: CRUDSQLExeError.self) {
            try await database.transaction { () -> Void in
                try await database.table(Item.self).insert(Item(id: 1))
                repository.close()
            }
        }
        #expect(error?.code == .unavailable)
        let other = try open()
        #expect(try await other.table(Item.self).count() == 0)
        try await other.close()
    }

    func observation() async throws {
        let database = try open()
        try await database.create(Item.self)
        var values = try database.table(Item.self).values().makeAsyncIterator()
        #expect(try await values.next(isolation: #isolation) == [])
        repository(database.configuration, "t").close()
        let error = await #expect(throws: CRUDSQLExeError.self) {
            while try await values.next(isolation: #isolation) != nil {}
        }
        #expect(error?.code == .unavailable)
    }

    func check(_ promise: ClosingPromise) async throws {
        switch promise {
        case .all: try await all(byRepository: false)
        case .byRepository: try await all(byRepository: true)
        case .unused: try await unused()
        case .openTransaction: try await openTransaction()
        case .observation: try await observation()
        }
    }
}

enum ClosingPromise: String, CaseIterable, CustomTestStringConvertible {
    case all = "The end of a configuration is that of its copies and repositories; a second one does nothing"
    case byRepository = "close() of a repository ends its configuration, with all that was made from it"
    case unused = "A configuration without a connection ends as well"
    case openTransaction = "A transaction that is open stores nothing and throws"
    case observation = "Observations throw"

    var testDescription: String { rawValue }
}
#endif
