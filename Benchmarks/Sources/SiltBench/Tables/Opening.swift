import Foundation
import Siltstone
import SiltstoneTables
import TableKit

/// Opens a store with a hundred tables and reads a row of one of them; opens it without its tables, and reads a key.
struct SiltstoneOpening {
    let directory: String
    let operations: Int

    /// - Returns: the seconds of each time.
    func run() throws -> [(TableWorkload, [Double])] {
        try fill()
        var (tables, stores): ([Double], [Double]) = ([], [])
        for _ in 0..<operations {
            tables.append(try openTables())
            stores.append(try openStore())
        }
        return [(.open, tables), (.openStore, stores)]
    }

    private func fill() throws {
        let db = SiltstoneTableStore.DB(configuration: try SiltstoneDatabaseConfiguration(directory))
        for number in 1..<TableWorkload.tableCount {
            try db.sql("CREATE TABLE table\(number) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score REAL)")
        }
        try db.create(Player.self).insert(PlayerMaker(count: 100).players(0..<100))
        let count = try db.tables().count
        guard count == TableWorkload.tableCount else { throw BenchmarkError("there are \(count) tables") }
    }

    /// The database is closed when it goes, which the clock does not see.
    private func openTables() throws -> Double {
        var db: SiltstoneTableStore.DB?
        let seconds = try Clock.seconds {
            let opened = SiltstoneTableStore.DB(configuration: try SiltstoneDatabaseConfiguration(directory))
            guard try opened.table(Player.self).find(7)?.id == 7 else { throw BenchmarkError("the row is not there") }
            db = opened
        }
        withExtendedLifetime(db) {}
        return seconds
    }

    private func openStore() throws -> Double {
        var store: KeyValueStore?
        let seconds = try Clock.seconds {
            let opened = try KeyValueStore.open(at: directory)
            guard try opened.get("no such key".utf8) == nil else { throw BenchmarkError("a key is there") }
            store = opened
        }
        try store?.close()
        return seconds
    }
}

#if PEER_SQLITE
/// The same with SQLite, which reads its schema for the first statement.
struct SQLiteOpening {
    let directory: String
    let operations: Int

    func run() throws -> [(TableWorkload, [Double])] {
        let path = directory + "/opened.sqlite"
        let keeper = try SQLiteConnection(path, EngineSettings())
        try keeper.execute("BEGIN")
        for number in 0..<TableWorkload.tableCount {
            try keeper.execute("CREATE TABLE table\(number) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score REAL)")
        }
        try keeper.execute("INSERT INTO table7 VALUES(7, 'seven', 7)")
        try keeper.execute("COMMIT")
        let seconds = try (0..<operations).map { _ in
            var connection: SQLiteConnection?
            let seconds = try Clock.seconds {
                let opened = try SQLiteConnection(path, EngineSettings())
                let statement = try opened.prepare("SELECT id, name, score FROM table7 WHERE id = 7")
                guard try statement.step(), statement.integer(0) == 7 else {
                    throw BenchmarkError("the row is not there")
                }
                connection = opened
            }
            withExtendedLifetime(connection) {}
            return seconds
        }
        return [(.open, seconds)]
    }
}
#endif
