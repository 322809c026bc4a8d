import TableKit

private struct Item: Codable, Equatable, Sendable {
    var id: Int
    var name: String?
}

/// Edge cases of transactions: those of SQL texts, and those that end before their tasks.
extension TableConformance {
    static var transactionEdges: [(promise: String, check: Check)] {
        [
            ("a statement of SQL whose RETURNING names no column changes nothing in a transaction", unknownReturning),
            ("what reads a result of SQL may change something in the same transaction", changesWhileReading),
            ("the transactions of a text are the same for tasks", textsInTasks),
            ("a nested transaction that is open at the end of the outer one is not stored", outlivingTransaction),
        ]
    }

    private static func unknownReturning(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try table.insert(Item(id: 1, name: "a"))
        try db.transaction { () -> Void in
            try requireError(.noColumn, "Inserting") { try db.sql("INSERT INTO Item VALUES (2, 'b') RETURNING nme") }
            try requireError(.noColumn, "Updating") { try db.sql("UPDATE Item SET name = 'c' RETURNING nme") }
            try requireError(.noColumn, "Deleting") { try db.sql("DELETE FROM Item RETURNING nme") }
        }
        try requireEqual(try table.all(), [Item(id: 1, name: "a")], "The rows")
    }

    private static func changesWhileReading(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try table.insert([Item(id: 1, name: "a"), Item(id: 2, name: "b")])
        func copy(_ result: SQLResult) throws {
            for row in try result.all() {
                // Outside of the statement's transaction the insert would wait for ever.
                _ = try required(TransactionScope.current(of: db.engine), "The transaction")
                guard case .integer(let id)? = row.first else { throw Violation("\(row) has no id.") }
                try table.insert(Item(id: Int(id) + 10))
            }
        }
        try db.sql("UPDATE Item SET name = 'c' WHERE id = 1 RETURNING id", results: copy)
        try db.sql("BEGIN; SELECT id FROM Item WHERE id = 2; COMMIT", results: copy)
        var calls = 0
        try db.sql("BEGIN; UPDATE Item SET name = 'c' WHERE id = 1; COMMIT") { _ in
            calls += 1
            if calls < 3 { _ = try required(TransactionScope.current(of: db.engine), "The transaction") }
            try table.insert(Item(id: 20 + calls))
        }
        let ids = try table.order(by: \.id).all().map(\.id)
        try requireEqual(ids, [1, 2, 11, 12, 21, 22, 23], "The rows")
        try requireError(.unique, "Copying again") {
            try db.sql("UPDATE Item SET name = 'd' WHERE id = 1 RETURNING id", results: copy)
        }
        try requireEqual(try table.where(\Item.name == "c").count(), 1, "The row whose update was undone")
    }

    private static func textsInTasks(_ db: Database<C>) async throws {
        let table = try await db.create(Item.self)
        try await db.sql(
            """
            INSERT INTO Item VALUES (1, 'a');
            BEGIN; DELETE FROM Item; ROLLBACK;
            BEGIN; INSERT INTO Item VALUES (2, 'b'); COMMIT;
            SAVEPOINT a; INSERT INTO Item VALUES (3, 'c'); SAVEPOINT b; DELETE FROM Item; ROLLBACK TO b; RELEASE a;
            SAVEPOINT c; INSERT INTO Item VALUES (4, 'd'); COMMIT
            """)
        let rows = try await db.sql(
            """
            BEGIN; UPDATE Item SET name = 'z' WHERE id = 1 RETURNING id, name; ROLLBACK;
            SELECT id, name FROM Item WHERE id = 1
            """, Item.self)
        try requireEqual(rows, [Item(id: 1, name: "z"), Item(id: 1, name: "a")], "The results")
        for text in ["BEGIN; DELETE FROM Item", "COMMIT", "ROLLBACK TO a", "BEGIN; DELETE FROM Item; BEGIN"] {
            do {
                try await db.sql(text)
                throw Violation("\(text) did not throw.")
            } catch let error as CRUDSQLGenError { try requireEqual(error.code, .transaction, text) }
        }
        do {
            try await db.sql("INSERT INTO Item VALUES (5, 'e'); DELETE FROM nothing; DELETE FROM Item")
            throw Violation("A statement on a table that is missing did not throw.")
        } catch let error as any TableError { try requireEqual(error.code, .noTable, "The error's code") }
        try requireEqual(try await table.order(by: \.id).all().map(\.id), [1, 2, 3, 4, 5], "The rows")
    }

    private static func outlivingTransaction(_ db: Database<C>) async throws {
        let table = try await db.create(Item.self)
        let (begun, tellBegun) = AsyncStream.makeStream(of: Void.self)
        let (ended, tellEnded) = AsyncStream.makeStream(of: Void.self)
        let late = try await db.transaction { () async throws -> Task<Void, any Error> in
            try await table.insert(Item(id: 1))
            let late = Task {
                // Also if the insert throws: otherwise the outer transaction would wait for ever.
                defer { tellBegun.finish() }
                try await db.transaction { () async throws -> Void in
                    try await table.insert(Item(id: 2))
                    tellBegun.finish()
                    for await _ in ended {}
                }
            }
            for await _ in begun {}
            return late
        }
        tellEnded.finish()
        do {
            try await late.value
            throw Violation("The nested transaction did not throw.")
        } catch let error as any TableError { try requireEqual(error.code, .transaction, "The error's code") }
        try requireEqual(try await table.all().map(\.id), [1], "The rows")
    }
}
