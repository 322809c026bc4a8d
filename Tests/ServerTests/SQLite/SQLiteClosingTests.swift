#if SQLite
import CRUDKit
import Foundation
import Synchronization
import TableSQL
import Testing

@testable import SQLiteTables
@testable import TableKit

/// Which connections a process has to a file, when they close, and who hears of whose commits.
struct SQLiteClosingTests {
    struct Item: Codable, Sendable, Equatable {
        var id: Int
    }

    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private func path(_ name: String = "a.sqlite") -> String { directory.appendingPathComponent(name).path }

    private func withDirectory(_ body: () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try FileManager.default.removeItem(at: directory)
        try result.get()
    }

    private func open(
        _ path: String, pragmas: [String] = ["foreign_keys = ON", "journal_mode = WAL"]
    ) throws -> Database<SQLiteDatabaseConfiguration> {
        Database(configuration: try SQLiteDatabaseConfiguration(path, pragmas: pragmas))
    }

    /// How many connections to a file this process has open.
    private func openFiles(_ path: String) throws -> Int {
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return links.filter { link in
            do {
                return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(link)") == path
            } catch {
                return false
            }
        }.count
    }

    @Test("Configurations and repositories of a file share its engine, however the path is written") func sharing()
        async throws
    {
        try await withDirectory {
            let first = try open(path())
            let second = try open(directory.path + "/../" + directory.lastPathComponent + "/a.sqlite")
            #expect(first.engine === second.engine)
            try await first.create(Item.self)
            let repository = try SQLiteRepository(path: path(), tableName: "t")
            try await repository.create(id: "a", item: 1)
            #expect(try openFiles(path()) == 1)
            // Other options are not ignored.
            let third = try open(path(), pragmas: ["foreign_keys = OFF"])
            #expect(third.engine !== first.engine)
            #expect(try await third.table(Item.self).count() == 0)
        }
    }

    @Test("The last use of a file closes its connections, and every further use of a closed one throws")
    func closing() async throws {
        try await withDirectory {
            let (first, second) = (try open(path()), try open(path()))
            let repository = try SQLiteRepository(path: path(), tableName: "t")
            try await first.create(Item.self)
            try await repository.create(id: "a", item: 1)
            try await first.close()
            try await first.close()
            let error = await #expect(throws: CRUDSQLExeError.self) { try await first.table(Item.self).count() }
            #expect(error?.code == .unavailable)
            try await second.table(Item.self).insert(Item(id: 1))
            repository.close()
            await #expect(throws: CRUDRepositoryError.self) { try await repository.exists(id: "a") }
            #expect(try openFiles(path()) == 1)
            try await second.close()
            #expect(try openFiles(path()) == 0)
            // Opened again, it is another use.
            #expect(try await open(path()).table(Item.self).count() == 1)
        }
    }

    @Test("Programs that open a new file at the same moment wait for each other", .timeLimit(.minutes(5)))
    func openedTogether() async throws {
        try await withDirectory {
            for round in 0..<150 {
                let connector = SQLiteConnector(
                    path: path("\(round).sqlite"), pragmas: ["journal_mode = WAL"], busyTimeout: 60)
                let start = DispatchSemaphore(value: 0)
                try await withThrowingTaskGroup { group in
                    for _ in 0..<6 {
                        group.addTask {
                            try await onThread {
                                start.wait()
                                try connector.connect().close()
                            }
                        }
                    }
                    for _ in 0..<6 { start.signal() }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("A relative path stays the same file wherever the program goes") func relativePath() {
        let connector = SQLiteConnector(path: "a.sqlite", pragmas: [], busyTimeout: 1)
        #expect(connector.path == FileManager.default.currentDirectoryPath + "/a.sqlite")
        for name in [":memory:", "", "file:a?mode=memory"] {
            #expect(SQLiteConnector(path: name, pragmas: [], busyTimeout: 1).path == name)
        }
    }

    @Test("A name whose database is private to a connection is refused; one that connections share is opened")
    func privateNames() throws {
        try FileManager.default.removeItem(at: directory)
        for name in [
            ":memory:", "", "file:", "file::memory:", "file:a?mode=memory", "file:?cache=shared", "file:a?vfs=memdb",
            "file:?mode=memory&cache=shared", "file:%3Amemory%3A", "file:a?m%6fde=mem%6Fry", "file://localhost",
            "file:a?mode=memory&cache=shared&cache=private", "file:%00a", "file:a?mode=memory#&cache=shared",
        ] {
            let error = #expect(throws: CRUDSQLGenError.self, "\(name)") { try SQLiteDatabaseConfiguration(name) }
            #expect(error?.code == .argument)
            #expect(throws: CRUDRepositoryError.self, "\(name)") { try SQLiteRepository(path: name) }
        }
        for name in [
            "file:a?mode=memory&cache=shared", "file::memory:?cache=shared", "file:/a?vfs=memdb", "a:b",
            "file:a?vfs=memdb&vfs=unix", "file:a?mode=memory&mode=rwc", "file://localhost/a?vfs=memdb",
            "file:a%3Fmode=memory", "file:%2Fa?vfs=memdb", "file:a?mode=mem%6ory",
        ] {
            #expect(!SQLiteConnector.isPrivate(name), "\(name)")
        }
    }

    @Test("A file that can only be read is read; a write says so") func readOnly() async throws {
        try await withDirectory {
            let writer = SQLiteConnector(path: path(), pragmas: [], busyTimeout: 1)
            let written = try writer.connect()
            _ = try written.execute(SQLStatement("CREATE TABLE Item (id INTEGER PRIMARY KEY)"))
            written.close()
            let reader = try SQLiteConnector(
                path: "file:\(path())?mode=ro", pragmas: ["journal_mode = WAL"], busyTimeout: 1
            ).connect()
            let count = SQLStatement("SELECT count(*) FROM Item", results: [.int64])
            #expect(try reader.execute(count).rows == [[.integer(0)]])
            let error = #expect(throws: SQLConnectionError.self) {
                _ = try reader.execute(SQLStatement("INSERT INTO Item VALUES (1)"))
            }
            #expect(error?.message.contains("readonly") == true)
            reader.close()
        }
    }

    @Test("A file that stores text in UTF-16 is refused: its order is another") func encoding() async throws {
        try await withDirectory {
            let connector = SQLiteConnector(path: path(), pragmas: [], busyTimeout: 1)
            let connection = try connector.connect()
            // As another program may do it.
            for text in ["PRAGMA encoding = 'UTF-16le'", "CREATE TABLE Item (id INTEGER PRIMARY KEY)"] {
                _ = try connection.execute(SQLStatement(text, isRepeated: false))
            }
            connection.close()
            let error = #expect(throws: SQLConnectionError.self) { _ = try connector.connect() }
            #expect(error?.code == .unsupported && error?.message.contains("UTF-16le") == true, "\(error as Any)")
        }
    }

    @Test("A connection to a file that was removed or replaced is not used again") func replaced() async throws {
        try await withDirectory {
            let connector = SQLiteConnector(path: path(), pragmas: [], busyTimeout: 1)
            let connection = try connector.connect()
            _ = try connection.execute(SQLStatement("PRAGMA user_version = 1", isRepeated: false))
            #expect(connector.isHealthy(connection))
            try FileManager.default.removeItem(atPath: path())
            #expect(!connector.isHealthy(connection))
            let next = try connector.connect()
            _ = try next.execute(SQLStatement("PRAGMA user_version = 1", isRepeated: false))
            #expect(connector.isHealthy(next) && !connector.isHealthy(connection))
            for connection in [connection, next] { connection.close() }
        }
    }

    @Test("A transaction that is open when the database closes stores nothing and throws") func openTransaction()
        async throws
    {
        try await withDirectory {
            let database = try open(path())
            try await database.create(Item.self)
            let error = await #expect(throws: CRUDSQLExeError.self) {
                try await database.transaction { () -> Void in
                    try await database.table(Item.self).insert(Item(id: 1))
                    try await database.close()
                }
            }
            #expect(error?.code == .unavailable)
            #expect(try openFiles(path()) == 0)
            #expect(try await open(path()).table(Item.self).count() == 0)
        }
    }

    @Test("An asynchronous close closes the connections on a thread that may block") func closingThread() async throws {
        try await withDirectory {
            let database = try open(path())
            try await database.create(Item.self)
            let name = Mutex("")
            _ = database.configuration.closing.add { name.withLock { $0 = Thread.current.name ?? "" } }
            try await database.close()
            #expect(name.withLock { $0 } == "siltstone.sql")
            #expect(try openFiles(path()) == 0)
        }
    }

    @Test(
        "Closing does not wait for an observer that another program's lock holds up", .timeLimit(.minutes(10)))
    func lockedObserver() async throws {
        try await withDirectory {
            // The time-out would not come within the test's limit.
            let configuration = try SQLiteDatabaseConfiguration(path(), pragmas: [], busyTimeout: 3600)
            let database = Database(configuration: configuration)
            try await database.create(Item.self)
            var streams = try (0..<3).map { _ in try database.table(Item.self).values().makeAsyncIterator() }
            for index in streams.indices {
                let first = try await streams[index].next(isolation: #isolation)
                #expect(first == [])
            }
            let holder = try SQLiteConnection(path: path(), pragmas: [], busyTimeout: 3600)
            _ = try holder.execute(SQLStatement("BEGIN EXCLUSIVE"))
            // Usually one of them waits for the lock by then, and the others for their turn.
            try await Task.sleep(for: .seconds(1))
            try await database.close()
            for index in streams.indices {
                let error = await #expect(throws: CRUDSQLExeError.self) {
                    while try await streams[index].next(isolation: #isolation) != nil {}
                }
                #expect(error?.code == .unavailable)
            }
            _ = try holder.execute(SQLStatement("ROLLBACK"))
            holder.close()
            // The threads of the observers close the last ones.
            while try openFiles(path()) != 0 { await Task.yield() }
        }
    }

    @Test("An engine that nobody uses any more goes, with its connections") func lastReference() async throws {
        try await withDirectory {
            do {
                let database = try open(path())
                try database.create(Item.self)
                #expect(try openFiles(path()) == 1)
            }
            #expect(try openFiles(path()) == 0)
        }
    }

    @Test(
        "An observation ends when its own database closes, while another configuration has the file open",
        .timeLimit(.minutes(10)))
    func ownObservations() async throws {
        try await withDirectory {
            let (first, second) = (try open(path()), try open(path()))
            try await first.create(Item.self)
            var values = try first.table(Item.self).order(by: \.id).values().makeAsyncIterator()
            #expect(try await values.next(isolation: #isolation) == [])
            var counts = try first.observe { try first.table(Item.self).count() }.makeAsyncIterator()
            #expect(try await counts.next(isolation: #isolation) == 0)
            var others = try second.table(Item.self).values().makeAsyncIterator()
            #expect(try await others.next(isolation: #isolation) == [])
            try await first.close()
            let error = await #expect(throws: CRUDSQLExeError.self) {
                while try await values.next(isolation: #isolation) != nil {}
            }
            #expect(error?.code == .unavailable)
            await #expect(throws: CRUDSQLExeError.self) {
                while try await counts.next(isolation: #isolation) != nil {}
            }
            try await second.table(Item.self).insert(Item(id: 1))
            #expect(try await others.next(isolation: #isolation) == [Item(id: 1)])
            try await second.close()
        }
    }

    @Test("Commits by other connections to the file reach observers", .timeLimit(.minutes(10))) func otherCommits()
        async throws
    {
        try await withDirectory {
            let (observer, other) = (try open(path()), try open(path(), pragmas: []))
            try await observer.create(Item.self)
            var values = try observer.table(Item.self).values().makeAsyncIterator()
            for count in 0..<4 {
                while let value = try await values.next(isolation: #isolation), value.count < count {}
                // As another process would: by another engine.
                try await other.table(Item.self).insert(Item(id: count))
            }
            try await observer.close()
            await #expect(throws: CRUDSQLExeError.self) {
                while try await values.next(isolation: #isolation) != nil {}
            }
        }
    }
}
#endif
