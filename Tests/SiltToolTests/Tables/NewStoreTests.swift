import Foundation
import Siltstone
import Testing

@testable import SiltTool

/// A store that a failed command has made is removed, and no other.
struct NewStoreTests {
    private let directory: TemporaryDirectory
    private var store: String { directory.file("s") }

    init() throws { directory = try TemporaryDirectory() }

    /// Imports rows through a pipe. Another process makes the store while the rows are checked: the rows do not fit
    /// into the pipe, so the import reads already, and has found no store before.
    private func importWhileAnotherMakesTheStore(last row: String) throws -> Silt.Result {
        let make = "CREATE TABLE T (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO T VALUES (1, 'first')"
        return try Silt.shell(
            #"""
            cd "$0" && { printf 'id,name\n'; seq 2 16000 | sed 's/$/,name/'; silt query --quiet s "$1"; echo "$2"; } |
                silt import --quiet s T
            """#, directory.path, make, row)
    }

    @Test("import adds to a table that another process has made during the check")
    func tableMadeMeanwhile() throws {
        try importWhileAnotherMakesTheStore(last: "16001,last").expect(status: 0)
        #expect(try Silt.run("query", "--csv", store, "SELECT COUNT(*) AS n FROM T").text == "n\n16001\n")
    }

    @Test("a refused import leaves a store that another process has made during the check")
    func storeMadeMeanwhile() throws {
        try importWhileAnotherMakesTheStore(last: "1,again").expect(status: 2)
        #expect(try Silt.run("query", "--csv", store, "SELECT id, name FROM T").text == "id,name\n1,first\n")
        try Silt.run("verify", "--quiet", store).expect(status: 0)
    }

    @Test("only opening that creates a store calls it new")
    func isNew() throws {
        let first = try KeyValueStore.open(at: store)
        #expect(first.isNew)
        try first.close()
        let second = try KeyValueStore.open(at: store)
        #expect(!second.isNew)
        try second.close()
    }

    @Test("files that were there, and files of other programs, stay; the directory goes only if it is empty and new")
    func newFiles() throws {
        let made = NewFiles(in: store)
        for name in ["s/CURRENT", "s/000001.manifest", "s/000002.log", "s/LOCK", "s/notes"] {
            _ = try directory.write(name, [])
        }
        made.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: store) == ["notes"])
        let found = NewFiles(in: store)
        try FileManager.default.removeItem(atPath: store + "/notes")
        found.remove()
        #expect(FileManager.default.fileExists(atPath: store))
        made.remove()
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test("a query that fails before its first change makes no store")
    func failedQuery() throws {
        try Silt.run("query", store, "UPDATE Person SET a = 1").expect(status: 2, error: "no such table")
        #expect(!FileManager.default.fileExists(atPath: store))
        try Silt.run("query", store, "BEGIN; CREATE TABLE T (id INT); UPDATE Person SET a = 1").expect(status: 2)
        #expect(!FileManager.default.fileExists(atPath: store))
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
        try Silt.run("query", store, "UPDATE Person SET a = 1").expect(status: 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store) == [])
    }

    @Test("a query that fails later keeps the store and its changes")
    func failedLater() throws {
        try Silt.run("query", store, "CREATE TABLE T (id INTEGER PRIMARY KEY); UPDATE Person SET a = 1")
            .expect(status: 2)
        #expect(try Silt.run("query", "--csv", store, "SELECT COUNT(*) AS n FROM T").text == "n\n0\n")
        try Silt.run("query", store, "UPDATE Person SET a = 1").expect(status: 2)
        #expect(try Silt.run("query", "--csv", store, "SELECT COUNT(*) AS n FROM T").text == "n\n0\n")
    }
}
