#if PostgreSQL || MySQL || SQLite
import TableKit
import Testing

@testable import TableSQL

/// Catalogues that lack a table, or a part of one, for a moment: MariaDB's while another session's ALTER renames the
/// table's files.
@Suite(.timeLimit(.minutes(10))) struct PassingCatalogueTests {
    private static let parent = TableStructure(name: "Parent", columns: [Column("id", .int64)], primaryKey: [0])
    private static let t = TableStructure(name: "t", columns: [Column("id", .int64)], primaryKey: [0])

    private func engine(
        _ dialect: any SchemaDialect, _ connection: ScriptedConnection
    ) -> SQLEngine<ScriptedConnector> {
        let pool = ConnectionPool(ScriptedConnector(connection: connection))
        return SQLEngine(dialect: dialect, pool: pool, observation: .ownCommits)
    }

    /// The number of reads of the catalogue.
    private func reads(_ connection: ScriptedConnection) -> Int {
        connection.calls.count { $0.contains("information_schema.COLUMNS") || $0.contains("format_type") }
    }

    private func sent(_ start: String, _ connection: ScriptedConnection) -> [String] {
        connection.calls.filter { $0.hasPrefix(start) }
    }

    // MARK: Tables

    @Test("a table that the catalogue does not show is looked for again") func lookUp() throws {
        let connection = ScriptedConnection(answer: { text, time in
            if text.hasPrefix("SELECT count") { return [[.integer(7)]] }
            return time > 2 ? Catalogue.rows(text, ["t"]) : []
        })
        let engine = engine(MySQLDialect(), connection)
        #expect(try engine.session(.singleRead).count(Query(Self.t)) == 7)
        #expect(reads(connection) == 3)
        engine.close()
    }

    @Test(
        "a table that the catalogue never shows is none",
        arguments: [(MySQLDialect(), 3), (PostgresDialect(), 2)] as [(any SchemaDialect, Int)])
    func none(_ dialect: any SchemaDialect, _ count: Int) throws {
        let connection = ScriptedConnection()
        let engine = engine(dialect, connection)
        let error = #expect(throws: CRUDSQLExeError.self) {
            _ = try engine.session(.singleRead).count(Query(Self.t))
        }
        #expect(error?.code == .noTable)
        #expect(reads(connection) == count)
        engine.close()
    }

    @Test("tables are those of two reads that agree") func tables() throws {
        let connection = ScriptedConnection(answer: { text, time in
            Catalogue.rows(text, time > 1 ? ["t", "u"] : ["u"])
        })
        let engine = engine(MySQLDialect(), connection)
        #expect(try engine.session(.read).tables().map(\.structure.name) == ["t", "u"])
        // They are cached.
        #expect(try engine.session(.read).table(named: "t") != nil)
        #expect(reads(connection) == 3)
        engine.close()
    }

    @Test("a cached catalogue is one of the two reads") func cachedTables() throws {
        let connection = ScriptedConnection(answer: { text, _ in Catalogue.rows(text, ["t"]) })
        let engine = engine(MySQLDialect(), connection)
        #expect(try engine.session(.read).table(named: "t") != nil)
        for _ in 0..<2 { CatalogueReads.pauseForRenaming() }
        #expect(try engine.session(.read).tables().count == 1)
        #expect(reads(connection) == 2)
        engine.close()
    }

    @Test("a catalogue that changes with each read is a conflict") func restless() throws {
        let connection = ScriptedConnection(answer: { text, time in Catalogue.rows(text, time % 2 == 0 ? ["t"] : []) })
        let engine = engine(MySQLDialect(), connection)
        let error = #expect(throws: CRUDSQLExeError.self) { _ = try engine.session(.read).tables() }
        #expect(error?.code == .conflict)
        engine.close()
    }

    // MARK: Parts of tables

    @Test("a table whose key the catalogue does not show is read again") func missingKey() throws {
        let connection = ScriptedConnection(answer: { text, time in
            text.contains("information_schema.STATISTICS") && time == 1 ? [] : Catalogue.rows(text, ["t"])
        })
        let table = try #require(try MySQLDialect().readCatalogue(connection).first)
        #expect(table.structure.primaryKey == [0])
        #expect(reads(connection) == 2)
    }

    @Test("a table with indexes and no columns is read again") func missingColumns() throws {
        let connection = ScriptedConnection(answer: { text, time in
            text.contains("information_schema.COLUMNS") && time == 1 ? [] : Catalogue.rows(text, ["t"])
        })
        #expect(try MySQLDialect().readCatalogue(connection).map(\.structure.name) == ["t"])
        #expect(reads(connection) == 2)
    }

    @Test("a key that the server never shows is none in the end") func hiddenKey() throws {
        let connection = ScriptedConnection(answer: { text, _ in
            text.contains("information_schema.STATISTICS") ? [] : Catalogue.rows(text, ["t"])
        })
        #expect(try MySQLDialect().readCatalogue(connection).map(\.structure.primaryKey) == [[]])
    }

    @Test("after an error of a row, a catalogue of one read is read again, and one that two reads told is not")
    func doubts() {
        let (small, large) = (Catalogue.tables(["t"]), Catalogue.tables(["t", "u"]))
        let cache = CatalogueCache()
        func keep(_ tables: [String: SQLTable]) {
            for _ in 0..<2 { CatalogueReads.pauseForRenaming() }
            cache.keep(tables, generation: cache.generation)
            cache.doubt()
        }
        keep(small)
        #expect(cache.tables == nil)
        keep(large)
        #expect(cache.tables == nil)
        keep(large)
        #expect(cache.tables?.count == 2)
        cache.forget()
        keep(large)
        #expect(cache.tables == nil)
    }

    @Test("errors of keys make the catalogue doubtful where schema changes commit at once")
    func doubtfulErrors() {
        let dialects: [(any SchemaDialect, Bool)] = [(MySQLDialect(), true), (PostgresDialect(), false)]
        for (dialect, forgets) in dialects {
            for code in [TableErrorCode.unique, .foreignKey] {
                let engine = engine(dialect, ScriptedConnection())
                let cache = engine.core.catalogue
                cache.keep(Catalogue.tables(["t"]), generation: cache.generation)
                engine.core.note(SQLConnectionError(.statement, code: code, "No."))
                #expect((cache.tables == nil) == forgets)
                engine.close()
            }
        }
    }

    // MARK: Changes

    @Test("a drop waits for a table that the catalogue does not show") func drop() throws {
        let connection = ScriptedConnection(answer: { text, time in time > 1 ? Catalogue.rows(text, ["t"]) : [] })
        let engine = engine(MySQLDialect(), connection)
        try engine.session(.write(.serial)).commit { try $0.alter(.dropTable("t")) }
        #expect(sent("DROP", connection) == ["DROP TABLE `t`"])
        #expect(reads(connection) == 3)
        engine.close()
    }

    @Test("a table that is not there is not dropped") func dropNone() throws {
        let connection = ScriptedConnection()
        let engine = engine(MySQLDialect(), connection)
        let error = #expect(throws: CRUDSQLExeError.self) {
            try engine.session(.write(.serial)).commit { try $0.alter(.dropTable("t")) }
        }
        #expect(error?.code == .noTable)
        #expect(sent("DROP", connection).isEmpty)
        engine.close()
    }

    @Test("a drop performs the actions of a table that the first read does not show") func dropParent() throws {
        let connection = ScriptedConnection(answer: { text, time in
            if text.contains("REFERENCED_TABLE_NAME = ?") { return [Catalogue.constraint] }
            if text.contains("information_schema."), time == 1 { return Catalogue.rows(text, ["Parent"]) }
            return Catalogue.rows(text, ["Parent", "Child"], isEnforced: true)
        })
        let engine = engine(MySQLDialect(), connection)
        try engine.session(.write(.serial)).commit { try $0.alter(.dropTable("Parent")) }
        let calls = connection.calls
        let delete = try #require(calls.firstIndex(of: "DELETE FROM `Parent`"))
        let alter = try #require(calls.firstIndex(of: "ALTER TABLE `Child` DROP FOREIGN KEY `silt_c`"))
        let drop = try #require(calls.firstIndex(of: "DROP TABLE `Parent`"))
        #expect(delete < alter && alter < drop)
        engine.close()
    }

    @Test(
        "a drop does nothing while the catalogue shows a constraint of a table that lacks it, or is not there",
        arguments: [["Parent"], ["Parent", "Child"]])
    func hiddenChild(tables: [String]) throws {
        let connection = ScriptedConnection(answer: { text, _ in
            text.contains("REFERENCED_TABLE_NAME = ?") ? [Catalogue.constraint] : Catalogue.rows(text, tables)
        })
        let engine = engine(MySQLDialect(), connection)
        let error = #expect(throws: CRUDSQLExeError.self) {
            try engine.session(.write(.serial)).commit { try $0.alter(.dropTable("Parent")) }
        }
        #expect(error?.code == .noTable && error?.table == "Child")
        #expect(sent("DELETE", connection).isEmpty && sent("DROP", connection).isEmpty)
        engine.close()
    }

    @Test("a drop of a column does nothing while the catalogue lacks the constraints of its table")
    func hiddenConstraints() throws {
        let connection = ScriptedConnection(answer: { text, _ in
            text.contains("TABLE_NAME = ?") ? [] : Catalogue.rows(text, ["Parent", "Child"], isEnforced: true)
        })
        let engine = engine(MySQLDialect(), connection)
        let error = #expect(throws: CRUDSQLExeError.self) {
            try engine.session(.write(.serial)).commit { try $0.alter(.dropColumn(table: "Child", "owner")) }
        }
        #expect(error?.code == .noTable)
        #expect(sent("ALTER", connection).isEmpty)
        engine.close()
    }

    @Test("an index is not made while the catalogue lacks the columns of its table") func hiddenColumns() throws {
        let connection = ScriptedConnection(answer: { text, _ in
            text.contains("TABLE_NAME = ?") ? [] : Catalogue.rows(text, ["t"])
        })
        let engine = engine(MySQLDialect(), connection)
        let index = IndexDefinition(table: "t", columns: ["id"])
        let error = #expect(throws: CRUDSQLExeError.self) {
            try engine.session(.write(.serial)).commit { try $0.alter(.createIndex(index)) }
        }
        #expect(error?.code == .noTable)
        #expect(sent("ALTER", connection).isEmpty)
        engine.close()
    }

    // MARK: Creates

    @Test("a create adds the constraint of a table that the first read does not show") func create() throws {
        let connection = ScriptedConnection(answer: { text, time in
            text.contains("information_schema.") && time == 1 ? [] : Catalogue.rows(text, ["Child"])
        })
        let engine = engine(MySQLDialect(), connection)
        try engine.session(.write(.serial)).commit { try $0.alter(.createTable(Self.parent)) }
        #expect(sent("CREATE TABLE `Parent`", connection).count == 1)
        #expect(sent("ALTER TABLE `Child` ADD CONSTRAINT", connection).count == 1)
        #expect(sent("LOCK", connection).isEmpty)
        engine.close()
    }

    @Test(
        "a create that cannot add a constraint drops its table, unless another program has stored rows in it",
        arguments: [false, true])
    func failedCreate(hasRows: Bool) throws {
        let connection = ScriptedConnection { text in
            text.hasPrefix("ALTER TABLE")
                ? SQLConnectionError(.conflict, code: .conflict, serverCode: "1205", "Lock wait timeout.") : nil
        } answer: { text, _ in
            text.hasPrefix("SELECT EXISTS") ? [[.integer(hasRows ? 1 : 0)]] : Catalogue.rows(text, ["Child"])
        }
        let engine = engine(MySQLDialect(), connection)
        let error = #expect(throws: CRUDSQLExeError.self) {
            try engine.session(.write(.serial)).commit { try $0.alter(.createTable(Self.parent)) }
        }
        #expect(error?.code == (hasRows ? .engine : .conflict))
        #expect(sent("DROP", connection) == (hasRows ? [] : ["DROP TABLE `Parent`"]))
        let calls = connection.calls
        let lock = try #require(calls.firstIndex(of: "LOCK TABLES `Parent` WRITE"))
        let unlock = try #require(calls.firstIndex(of: "UNLOCK TABLES"))
        #expect(lock < unlock)
        engine.close()
    }

    @Test("creates of tables that exist read the catalogue once each, behind the first") func repeatedCreates() throws {
        let connection = ScriptedConnection(answer: { text, _ in Catalogue.rows(text, ["t"]) })
        let engine = engine(MySQLDialect(), connection)
        for count in [2, 3, 4] {
            var isThere = false
            try engine.session(.write(.serial)).commit { session in
                try session.changingSchema { isThere = try session.table(named: "t") != nil }
            }
            #expect(isThere && reads(connection) == count)
            for _ in 0..<2 { CatalogueReads.pauseForRenaming() }
        }
        engine.close()
    }

    @Test("a cached catalogue that another program has changed is replaced") func staleCache() throws {
        let connection = ScriptedConnection(answer: { text, time in
            Catalogue.rows(text, time > 1 ? ["t", "u"] : ["t"])
        })
        let engine = engine(MySQLDialect(), connection)
        #expect(try engine.session(.read).table(named: "t") != nil)
        for _ in 0..<2 { CatalogueReads.pauseForRenaming() }
        #expect(try engine.session(.read).tables().count == 2)
        #expect(try engine.session(.read).table(named: "u") != nil)
        #expect(reads(connection) == 3)
        engine.close()
    }

    @Test("a change that is taken back waits for a table that the catalogue does not show") func undo() throws {
        let connection = ScriptedConnection(answer: { text, time in
            Catalogue.rows(text, time < 3 ? ["t"] : time < 6 ? [] : ["u"])
        })
        let engine = engine(MySQLDialect(), connection)
        let session = try engine.session(.write(.serial))
        try session.alter(.renameTable("t", to: "u"))
        session.rollback()
        #expect(sent("ALTER", connection) == ["ALTER TABLE `t` RENAME TO `u`", "ALTER TABLE `u` RENAME TO `t`"])
        engine.close()
    }

    // MARK: Structures

    @Test("structures are the same whatever the estimates and the order of indexes") func structures() {
        let names = ["a", "b"].map { IndexInfo(IndexDefinition(table: "t", columns: ["id"], name: $0)) }
        let column = Column("id", .double, defaultValue: .real(.nan))
        func info(_ column: Column, _ indexes: [IndexInfo], rows: Int = 0) -> TableInfo {
            let structure = TableStructure(name: "t", columns: [column], primaryKey: [0])
            return TableInfo(structure: structure, indexes: indexes, estimatedRows: rows)
        }
        let first = info(column, names)
        func haveSame(_ info: TableInfo?) -> Bool {
            ["t": SQLTable(info: first)].haveSameStructures(as: info.map { ["t": SQLTable(info: $0)] } ?? [:])
        }
        #expect(haveSame(info(column, names.reversed(), rows: 9)))
        #expect(!haveSame(info(column, [names[0]])))
        #expect(!haveSame(info(Column("id", .double), names)))
        #expect(!haveSame(nil))
    }
}

/// Rows of MariaDB's catalogue: tables with the key `id`, of which `Child` has a foreign key to `Parent`.
private enum Catalogue {
    /// The constraint of `Child`, as KEY_COLUMN_USAGE tells it.
    static let constraint: [ColumnValue] = [.text("Child"), .text("owner"), .text("silt_c"), .text("Parent")]

    /// The rows of a query of the whole catalogue; none of other statements.
    /// - Parameter isEnforced: whether `Child` has its constraint.
    static func rows(_ text: String, _ names: [String], isEnforced: Bool = false) -> [[ColumnValue]] {
        if text.contains("c.COLUMN_KEY") {
            let keys = names.map { column($0, "id", key: "PRI", comment: "") }
            return keys + (names.contains("Child") ? [column("Child", "owner", key: "", comment: note)] : [])
        }
        if text.contains("information_schema.STATISTICS") {
            return names.map { [.text($0), .text("PRIMARY"), .text("id"), .integer(0), .null, .text("BTREE")] }
        }
        if text.contains("REFERENTIAL_CONSTRAINTS"), isEnforced {
            return [[.text("Child"), .text("owner"), .text("Parent"), .text("CASCADE"), .text("NO ACTION")]]
        }
        return []
    }

    private static let note =
        #"siltstone {"references":{"onDelete":4,"onUpdate":0,"table":"Parent"},"type":"int64"}"#

    private static func column(_ table: String, _ name: String, key: String, comment: String) -> [ColumnValue] {
        [
            .text(table), .text(name), .text("bigint(20)"), .text("NO"), .null, .text(comment), .integer(0),
            .integer(0), .text("NEVER"), .text(key),
        ]
    }

    /// Tables as the catalogue is cached.
    static func tables(_ names: [String]) -> [String: SQLTable] {
        Dictionary(
            uniqueKeysWithValues: names.map { name in
                let structure = TableStructure(name: name, columns: [Column("id", .int64)], primaryKey: [0])
                return (name, SQLTable(info: TableInfo(structure: structure, indexes: [], estimatedRows: 0)))
            })
    }
}
#endif
