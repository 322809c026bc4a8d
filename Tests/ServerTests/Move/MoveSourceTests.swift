#if SQLite
import Foundation
import TableKit
import TableSQL
import Testing

@testable import SQLiteTables
@testable import SiltTool

/// Files of SQLite as sources.
struct MoveSourceTests {
    @Test("a file of another program arrives with its unique constraint, and keeps all of its bytes")
    func unchanged() async throws {
        try await onThread {
            let sample = try MovedSample()
            let path = sample.directory + "/other.sqlite"
            let other = try SQLiteConnection(path: path, pragmas: [], busyTimeout: 1)
            for text in [
                "CREATE TABLE City (id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
                "INSERT INTO City VALUES (1, 'Rome'), (2, 'Oslo')",
            ] { _ = try other.execute(SQLStatement(text)) }
            other.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            for there in [sample.directory + "/city.silt", "sqlite:\(sample.directory)/city.sqlite"] {
                let report = try move("sqlite:" + path, there)
                #expect(report.rows == 2 && report.tables.first?.indexes == 1)
                let found = try withEngine(there) { engine in
                    try engine.reading { try $0.table(named: "City")?.indexes.map(\.definition) }
                }
                #expect(found?.map(\.columns) == [["name"]] && found?.first?.isUnique == true)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }

    @Test("a view of a table's name at the target is told as such, and not as another move") func takenName()
        async throws
    {
        try await onThread {
            let sample = try MovedSample()
            let (from, to) = (sample.directory + "/from.sqlite", sample.directory + "/to.sqlite")
            for (path, text) in [
                (from, "CREATE TABLE City (id INTEGER PRIMARY KEY)"), (to, "CREATE VIEW City AS SELECT 1"),
            ] {
                let other = try SQLiteConnection(path: path, pragmas: [], busyTimeout: 1)
                _ = try other.execute(SQLStatement(text))
                other.close()
            }
            let error = #expect(throws: ToolError.self) { _ = try move("sqlite:" + from, "sqlite:" + to) }
            #expect(error?.exitCode == .usage && error?.message.contains("City: a view") == true)
        }
    }

    @Test("numbers that a copy would round are refused, unless that is accepted; the report tells lost defaults")
    func rounding() async throws {
        try await onThread {
            let sample = try MovedSample()
            let path = sample.directory + "/prices.sqlite"
            let other = try SQLiteConnection(path: path, pragmas: [], busyTimeout: 1)
            for text in [
                "CREATE TABLE Price (id INTEGER PRIMARY KEY, amount DECIMAL(30,10), made TEXT DEFAULT CURRENT_TIMESTAMP)",
                "INSERT INTO Price (id, amount) VALUES (1, 1.5)",
            ] { _ = try other.execute(SQLStatement(text)) }
            other.close()
            let there = sample.directory + "/prices.silt"
            let error = #expect(throws: ToolError.self) { _ = try move("sqlite:" + path, there) }
            #expect(error?.message.contains("Price.amount (DECIMAL(30,10))") == true, "\(String(describing: error))")
            let report = try move("sqlite:" + path, there, acceptsRounding: true)
            #expect(report.rows == 1)
            #expect(report.notes == ["Price.made comes without its default: CURRENT_TIMESTAMP"])
        }
    }

    /// Makes a file of SQLite.
    private func file(_ sample: MovedSample, _ statements: [String]) throws -> String {
        let path = sample.directory + "/\(UUID().uuidString).sqlite"
        let other = try SQLiteConnection(path: path, pragmas: [], busyTimeout: 1)
        for text in statements { _ = try other.execute(SQLStatement(text)) }
        other.close()
        return path
    }

    /// Sources that the command refuses, and parts of the errors.
    private static let refused = [
        (
            [
                "CREATE TABLE Owner (id INTEGER PRIMARY KEY)",
                "CREATE TABLE Pet (id INTEGER PRIMARY KEY, owner TEXT REFERENCES Owner(id))",
            ], "Pet.owner (string) refers to Owner.id (int64)"
        ),
        (["CREATE TABLE Price (id INTEGER PRIMARY KEY, amount DECIMAL(30,10))"], "--rounded"),
    ]

    @Test(
        "a refused source leaves no new store behind, and an empty directory empty", arguments: refused, [false, true])
    func noTrace(_ source: (statements: [String], reason: String), isDirectory: Bool) async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = sample.directory + "/refused.silt"
            if isDirectory {
                try FileManager.default.createDirectory(atPath: there, withIntermediateDirectories: false)
            }
            let operands = ["sqlite:" + (try file(sample, source.statements)), there]
            let invocation = try Invocation(.move, ParsedArguments(operands: operands))
            let error = #expect(throws: ToolError.self) { _ = try Command.move.run(invocation) }
            #expect(error?.message.contains(source.reason) == true, "\(String(describing: error))")
            #expect(FileManager.default.fileExists(atPath: there) == isDirectory)
            if isDirectory { #expect(try FileManager.default.contentsOfDirectory(atPath: there).isEmpty) }
        }
    }

    @Test("an error of reading names the table and the source") func unreadableValue() async throws {
        try await onThread {
            let sample = try MovedSample()
            let path = try file(
                sample,
                [
                    "CREATE TABLE Note (id INTEGER PRIMARY KEY, text TEXT)",
                    "INSERT INTO Note VALUES (1, CAST(x'ff' AS TEXT))",
                ])
            let error = #expect(throws: ToolError.self) {
                _ = try move("sqlite:" + path, sample.directory + "/to.silt")
            }
            #expect(
                error?.message.hasPrefix("moving the table Note: FROM (sqlite:\(path)): ") == true,
                "\(String(describing: error))")
        }
    }

    @Test("a reference to a key of another type is refused before the store has any table")
    func mixedReferences() async throws {
        try await onThread {
            let sample = try MovedSample()
            let path = sample.directory + "/mixed.sqlite"
            let other = try SQLiteConnection(path: path, pragmas: [], busyTimeout: 1)
            for text in [
                "CREATE TABLE Aside (id INTEGER PRIMARY KEY)", "CREATE TABLE Owner (id INTEGER PRIMARY KEY)",
                "CREATE TABLE Pet (id INTEGER PRIMARY KEY, owner TEXT REFERENCES Owner(id))",
            ] { _ = try other.execute(SQLStatement(text)) }
            other.close()
            let there = sample.directory + "/mixed.silt"
            let error = #expect(throws: ToolError.self) { _ = try move("sqlite:" + path, there) }
            #expect(
                error?.message.contains("Pet.owner (string) refers to Owner.id (int64)") == true,
                "\(String(describing: error))")
            #expect(try catalogue(there).isEmpty)
            // What is left has no such reference.
            try move("sqlite:" + path, there, choice: MoveChoice(tables: ["Aside", "Owner"]))
            #expect(try catalogue(there).count == 2)
        }
    }
}
#endif
