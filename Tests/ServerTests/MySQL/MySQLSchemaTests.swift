#if MySQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import MySQLTables

extension MySQLTests {
    /// Changes of tables, with which the server commits, and what indexes of long text promise.
    struct Schemas {
        private struct Stop: Error {}

        private struct Item: Codable, Equatable {
            var id: Int
            var name: String?
        }

        private struct Other: Codable {
            var id: Int
        }

        private func database() throws -> Database<MySQLDatabaseConfiguration> { try namedDatabase().database }

        /// A new database with its server and its name, for connections beside it.
        private func namedDatabase(
            lockTimeout: Duration? = nil
        ) throws -> (server: MySQLServer, name: String, database: Database<MySQLDatabaseConfiguration>) {
            let server = try MySQLServer.shared()
            let name = try server.makeDatabase()
            var options = MySQLOptions()
            if let lockTimeout { options.lockTimeout = lockTimeout }
            let configuration = try MySQLDatabaseConfiguration(server.url(database: name), options: options)
            return (server, name, Database(configuration: configuration))
        }

        private func names(_ database: Database<MySQLDatabaseConfiguration>) throws -> [String] {
            try database.tables().map(\.structure.name).sorted()
        }

        /// The code of the error that a body throws.
        private func code(_ body: () throws -> Void) throws -> TableErrorCode {
            do { try body() } catch let error as any TableError { return error.code }
            throw ServerFailure("No error was thrown.")
        }

        /// Runs a transaction that fails at its end.
        private func failing(
            _ database: Database<MySQLDatabaseConfiguration>, _ body: () throws -> Void
        ) throws {
            do {
                try database.transaction { () throws -> Void in
                    try body()
                    throw Stop()
                }
            } catch is Stop {}
        }

        @Test("Where a transaction fails, tables that it made are gone, and names and indexes are as before")
        func takenBack() throws {
            let database = try database()
            try database.create(Item.self).insert(Item(id: 1, name: "a"))
            try failing(database) {
                try database.create(Other.self).insert(Other(id: 1))
                try database.table(Item.self).insert(Item(id: 2, name: "b"))
            }
            try failing(database) {
                try database.table(Item.self).index(\.name)
                try database.sql("ALTER TABLE Item RENAME TO Things")
                try database.sql("ALTER TABLE Things ADD COLUMN more INT")
            }
            #expect(try names(database) == ["Item"])
            let table = try #require(try database.tables().first)
            #expect(table.indexes.isEmpty && table.structure.columns.map(\.name) == ["id", "name"])
            #expect(try database.table(Item.self).all() == [Item(id: 1, name: "a")])
        }

        private struct Moved: Codable {
            var id: Int
            var name: String?
        }

        @Test("Where a COMMIT is refused, names are as before, and the transaction runs again") func refusedCommit()
            throws
        {
            let (server, name, database) = try namedDatabase(lockTimeout: .seconds(1))
            try database.create(Item.self)
            let others = try database.create(Other.self)
            try others.insert(Other(id: 100))
            let holder = try server.connection(database: name)
            defer { holder.close() }
            try holder.run("START TRANSACTION")
            _ = try holder.rows("SELECT id FROM Other WHERE id = 100 FOR UPDATE", as: [.int64])
            var attempts = 0
            try database.transaction { () throws -> Void in
                attempts += 1
                try database.rename(Moved.self, from: "Item")
                try others.insert(Other(id: attempts))
                guard attempts == 1 else { return }
                // The server rolls the transaction back, of which its body takes no notice.
                #expect(try code { try others.where(\Other.id == 100).delete() } == .conflict)
            }
            #expect(attempts == 2)
            #expect(try names(database) == ["Moved", "Other"])
            try holder.run("ROLLBACK")
            #expect(try others.order(by: \.id).all().map(\.id) == [2, 100])
            try database.configuration.close()
        }

        @Test("A nested transaction takes its tables back alone") func nested() throws {
            let database = try database()
            func run(inserting: Bool) throws {
                try database.transaction { () throws -> Void in
                    try database.create(Item.self).insert(Item(id: 1, name: "a"))
                    do {
                        try database.transaction { () throws -> Void in
                            try database.table(Item.self).insert(Item(id: 2, name: "b"))
                            let others = try database.create(Other.self)
                            if inserting { try others.insert(Other(id: 1)) }
                            throw Stop()
                        }
                    } catch is Stop {}
                    try database.table(Item.self).insert(Item(id: 3, name: "c"))
                }
            }
            // Its rows were used: the whole transaction is taken back, and says so.
            #expect(try code { try run(inserting: true) } == .transaction)
            #expect(try names(database) == [])
            try run(inserting: false)
            #expect(try names(database) == ["Item"])
            #expect(try database.table(Item.self).order(by: \.id).all().map(\.id) == [1, 3])
        }

        @Test("A change of a table whose rows the transaction has changed is refused, and nothing is committed by it")
        func refused() throws {
            let database = try database()
            let items = try database.create(Item.self)
            try failing(database) {
                try items.insert(Item(id: 1, name: "a"))
                #expect(try code { try items.index(\.name) } == .transaction)
                // Another table may be made.
                try database.create(Other.self)
            }
            #expect(try items.count() == 0)
            #expect(try names(database) == ["Item"])
            try database.transaction { () throws -> Void in
                try items.insert(Item(id: 1, name: "a"))
                #expect(try code { try database.create(Item.self, policy: .dropTable) } == .transaction)
            }
            #expect(try items.count() == 1)
        }

        @Test(
            "A change of a table that the transaction has read, behind changes of rows, is refused and does not wait long"
        )
        func refusedBehindRead() throws {
            let database = try database()
            let items = try database.create(Item.self)
            let others = try database.create(Other.self)
            try database.transaction { () throws -> Void in
                #expect(try others.count() == 0)
                try items.insert(Item(id: 1, name: "a"))
                #expect(try code { try database.sql("ALTER TABLE Other ADD COLUMN b INT") } == .transaction)
            }
            #expect(try items.count() == 1)
        }

        @Test("A unique index of long text tells texts apart that begin alike, and orders them") func longText() throws
        {
            let database = try database()
            let items = try database.create(Item.self)
            try items.index(unique: true, \.name)
            let start = String(repeating: "ü", count: 5000)
            try items.insert((0..<4).map { Item(id: $0, name: start + "\(3 - $0)") })
            #expect(try code { try items.insert(Item(id: 9, name: start + "1")) } == .unique)
            #expect(try items.order(by: \.name).all().map(\.id) == [3, 2, 1, 0])
            #expect(try items.where(\Item.name == start + "2").all().map(\.id) == [1])
            try database.sql("DROP INDEX index_Item_name")
            try items.insert(Item(id: 9, name: start + "1"))
            #expect(try items.count() == 5)
        }

        @Test("An upsert replaces the row of its key alone; a conflict in another unique index throws") func upserts()
            throws
        {
            let database = try database()
            let items = try database.create(Item.self)
            try items.index(unique: true, \.name)
            try items.insert([Item(id: 1, name: "a"), Item(id: 2, name: "b")])
            #expect(try code { try items.upsert(Item(id: 1, name: "b")) } == .unique)
            #expect(try code { try items.upsert([Item(id: 3, name: "c"), Item(id: 4, name: "a")]) } == .unique)
            try items.upsert([Item(id: 1, name: "x"), Item(id: 3, name: "c"), Item(id: 3, name: "d")])
            #expect(
                try items.order(by: \.id).all()
                    == [Item(id: 1, name: "x"), Item(id: 2, name: "b"), Item(id: 3, name: "d")])
        }

        @Test("An index that a dead program's statement still builds exists as soon as it is done")
        func unfinishedIndex() throws {
            let (server, name, database) = try namedDatabase()
            try database.create(Item.self).insert(Item(id: 1, name: "a"))
            let (reader, dead) = (try server.connection(database: name), try server.connection(database: name))
            // The open transaction keeps both statements waiting, the dead program's first.
            try reader.run("START TRANSACTION")
            _ = try reader.rows("SELECT id FROM Item", as: [.int64])
            func awaitStatements(_ count: Int) throws {
                try waitUntil("\(count) statements wait") {
                    try reader.rows(
                        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE()"
                            + " AND INFO LIKE 'ALTER TABLE%'", as: [.int64]) == [[.integer(Int64(count))]]
                }
            }
            let statement = Background { try dead.run("ALTER TABLE Item ADD INDEX index_Item_name (name(255))") }
            try awaitStatements(1)
            let definition = IndexDefinition(table: "Item", columns: ["name"])
            let build = Background { try database.configuration.engine.buildIndex(definition) }
            try awaitStatements(2)
            try reader.run("COMMIT")
            try statement.get()
            try build.get()
            #expect(try database.tables().flatMap(\.indexes).map(\.definition.columns) == [["name"]])
            for connection in [reader, dead] { connection.close() }
            try database.configuration.close()
        }

        private struct Pet: Codable {
            var id: Int
            @ForeignKey(Other.self) var owner: Int

            init(id: Int, owner: Int) {
                self.id = id
                self.owner = owner
            }
        }

        /// The names of the constraints that refer to ``Other``.
        private func constraints(_ connection: MySQLConnection) throws -> [String] {
            try connection.rows(
                "SELECT CONSTRAINT_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE()"
                    + " AND REFERENCED_TABLE_NAME = 'Other'", as: [.string]
            ).compactMap { $0[0].string }
        }

        @Test("A create that waits in vain for a table that refers to its own is made again, with the foreign key")
        func waitingCreate() throws {
            let (server, name, database) = try namedDatabase(lockTimeout: .seconds(1))
            let pets = try database.create(Pet.self)
            let (holder, observer) = (
                try server.connection(database: name), try server.connection(database: name)
            )
            try holder.run("START TRANSACTION")
            _ = try holder.rows("SELECT id FROM Pet", as: [.int64])
            let create = Background { _ = try database.create(Other.self) }
            func isAdding() throws -> Bool {
                try observer.rows(
                    "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE()"
                        + " AND INFO LIKE 'ALTER TABLE%'", as: [.int64]) != [[.integer(0)]]
            }
            try waitUntil("the create waits") { try isAdding() }
            try waitUntil("it has waited in vain") { try !isAdding() }
            try holder.run("COMMIT")
            try create.get()
            let error = #expect(throws: CRUDSQLExeError.self) { try pets.insert(Pet(id: 1, owner: 5)) }
            #expect(error?.code == .foreignKey)
            #expect(try constraints(observer).count == 1)
            for connection in [holder, observer] { connection.close() }
            try database.configuration.close()
        }

        @Test("A table is dropped although a column of another table refers to it and to a third")
        func doubleReference() throws {
            let (server, name, database) = try namedDatabase()
            let connection = try server.connection(database: name)
            try connection.run("CREATE TABLE Item (id BIGINT PRIMARY KEY) ENGINE = InnoDB")
            try connection.run("CREATE TABLE Other (id BIGINT PRIMARY KEY) ENGINE = InnoDB")
            try connection.run(
                "CREATE TABLE Child (id BIGINT PRIMARY KEY, owner BIGINT, FOREIGN KEY (owner) REFERENCES Item (id),"
                    + " FOREIGN KEY (owner) REFERENCES Other (id)) ENGINE = InnoDB")
            for table in ["Item", "Other", "Child (id, owner)"] {
                try connection.run("INSERT INTO \(table) VALUES (1\(table.contains("(") ? ", 1" : ""))")
            }
            // The rows of the third table refer to those of both.
            #expect(try code { try database.drop(Item.self) } == .foreignKey)
            try connection.run("DELETE FROM Child")
            try database.drop(Item.self)
            #expect(try names(database) == ["Child", "Other"])
            try database.drop(Other.self)
            #expect(try names(database) == ["Child"])
            connection.close()
            try database.configuration.close()
        }

        @Test("A constraint to a table of another database refers to no table of this one") func otherDatabase() throws
        {
            let (server, name, database) = try namedDatabase()
            let other = try server.makeDatabase()
            let connection = try server.connection(database: name)
            try connection.run("CREATE TABLE \(other).Item (id BIGINT PRIMARY KEY) ENGINE = InnoDB")
            try connection.run("INSERT INTO \(other).Item VALUES (1)")
            try connection.run("CREATE TABLE Item (id BIGINT PRIMARY KEY) ENGINE = InnoDB")
            try connection.run(
                "CREATE TABLE Child (id BIGINT PRIMARY KEY, owner BIGINT, FOREIGN KEY (owner) REFERENCES"
                    + " \(other).Item (id)) ENGINE = InnoDB")
            try connection.run("INSERT INTO Child VALUES (1, 1)")
            let columns = try database.tables().map(\.structure).first { $0.name == "Child" }?.columns
            #expect(columns?.map(\.foreignKey) == [nil, nil])
            // The row of the child refers to the other database's row.
            try database.drop(Item.self)
            #expect(try names(database) == ["Child"])
            #expect(throws: SQLConnectionError.self) { try connection.run("DELETE FROM \(other).Item") }
            connection.close()
            try database.configuration.close()
        }

        @Test("A single change is one statement, and commits by itself") func singleChanges() throws {
            let database = try database()
            let items = try database.create(Item.self)
            try items.insert(Item(id: 0, name: nil))
            func commands() throws -> [String: Int] {
                try database.configuration.server.pool.withConnection { connection in
                    let rows = try connection.rows(
                        "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM information_schema.SESSION_STATUS"
                            + " WHERE VARIABLE_NAME IN ('COM_BEGIN', 'COM_COMMIT', 'COM_SAVEPOINT', 'COM_INSERT',"
                            + " 'COM_UPDATE', 'COM_DELETE')", as: [.string, .int64])
                    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0].string ?? "", $0[1].int ?? 0) })
                }
            }
            let before = try commands()
            try items.insert((1...64).map { Item(id: $0, name: "a") })
            try items.where(\Item.id == 1).update(Item(id: 1, name: "b"), setKeys: \.name)
            try items.where(\Item.id == 2).delete()
            let after = try commands()
            let difference = after.merging(before) { $0 - $1 }
            #expect(
                difference == [
                    "COM_BEGIN": 0, "COM_COMMIT": 0, "COM_SAVEPOINT": 0, "COM_INSERT": 1, "COM_UPDATE": 1,
                    "COM_DELETE": 1,
                ])
        }
    }
}
#endif
