import Foundation
import Testing

@testable import SiltTool

/// `silt move` between two stores. The tests of servers are in `ServerTests`.
struct MoveCommandTests {
    private let directory: TemporaryDirectory
    private var from: String { directory.file("from.silt") }
    private var to: String { directory.file("to.silt") }

    init() throws {
        directory = try TemporaryDirectory()
        try Silt.run(
            "query", "--quiet", from,
            """
            CREATE TABLE City (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
            CREATE TABLE Person (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'x', city INT REFERENCES City(id));
            CREATE INDEX ON Person (name, city);
            INSERT INTO City VALUES (1, 'Rome'), (2, 'Oslo');
            INSERT INTO Person VALUES (1, 'Ada', 1), (2, 'Bob', 2), (3, 'Cai', NULL)
            """
        ).expect(status: 0)
        // A record of the repository `Clients`, as `SiltstoneRepository` keys it.
        try Silt.run("put", "--key-hex", from, "436c69656e74730001" + "6964", "{}").expect(status: 0)
    }

    @Test("all tables and repositories are moved; the report has their numbers and checksums")
    func everything() throws {
        let result = try Silt.run("move", "--json", from, to)
        result.expect(status: 0)
        let report = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
        let tables = try #require(report["tables"] as? [[String: Any]])
        #expect(tables.map { $0["name"] as? String } == ["City", "Person"])
        #expect(tables.map { $0["rows"] as? Int } == [2, 3])
        #expect(tables.allSatisfy { ($0["checksum"] as? String)?.count == 32 })
        let repositories = try #require(report["repositories"] as? [[String: Any]])
        #expect(repositories.map { $0["name"] as? String } == ["Clients"])
        #expect(try Silt.run("schema", to).text == Silt.run("schema", from).text)
        #expect(try Silt.run("export", to, "Person").text == Silt.run("export", from, "Person").text)
        #expect(try Silt.run("get", "--key-hex", to, "436c69656e74730001" + "6964").text == "{}")
        try Silt.run("verify", "--quiet", to).expect(status: 0)
    }

    @Test("what cannot be moved is a wrong command line, and says why")
    func mistakes() throws {
        try Silt.run("move", from, from).expect(status: 2, error: "the same")
        let link = directory.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: from)
        for other in [from + "/", directory.file("./from.silt"), link] {
            try Silt.run("move", from, other).expect(status: 2, error: "the same")
            try Silt.run("move", "sqlite:" + from, "sqlite:" + other).expect(status: 2, error: "the same")
        }
        for other in ["oracle://db/shop", "host=db dbname=shop", "user=app host=db dbname=shop"] {
            try Silt.run("move", from, other).expect(status: 2, error: "no place")
            try Silt.run("move", other, to).expect(status: 2, error: "no place")
        }
        try Silt.run("move", directory.file("none"), to).expect(status: 2, error: "none")
        try Silt.run("move", "--table", "Nobody", from, to).expect(status: 2, error: "no table 'Nobody'")
        try Silt.run("move", "--repository", "x", from, to).expect(status: 2, error: "no repository 'x'")
        // A new store at the target would be left behind.
        #expect(!FileManager.default.fileExists(atPath: to))
        try Silt.run("move", "--quiet", "--table", "City", from, to).expect(status: 0)
        try Silt.run("move", from, to).expect(status: 2, error: "has rows in the table City")
        // A person needs its city, which is there now.
        try Silt.run("move", "--quiet", "--table", "Person", from, to).expect(status: 0)
    }

    #if !PostgreSQL && !MySQL && !SQLite
    @Test(
        "without its trait, a place says which one it needs",
        arguments: [("postgres://h/d", "PostgreSQL"), ("mysql://h/d", "MySQL"), ("sqlite:f", "SQLite")])
    func traits(place: String, trait: String) throws {
        try Silt.run("move", from, place).expect(status: 2, error: "--traits \(trait)")
    }
    #endif

    @Test("no password is reported")
    func passwords() {
        let place = MovePlace("postgres://app:secret@db1,db2/shop?sslmode=require&password=secret")
        #expect(place.description == "postgresql://app@db1,db2/shop?sslmode=require&password=")
        #expect(MovePlace("mariadb://app:secret@db/shop").description == "mysql://app@db/shop")
        #expect(MovePlace("sqlite:///tmp/a.sqlite") == .sqlite(path: "/tmp/a.sqlite"))
        #expect(MovePlace("people.silt") == .store(path: "people.silt"))
    }
}
