import Testing

/// Standard descriptors that are closed.
struct StandardDescriptorTests {
    private let directory: TemporaryDirectory
    private var store: String { directory.file("s") }

    init() throws {
        directory = try TemporaryDirectory()
        try Silt.run("query", "--quiet", store, "CREATE TABLE T (id INTEGER PRIMARY KEY)").expect(status: 0)
    }

    @Test("what is printed goes into no file of the store, and is an error", arguments: [">&-", "<&- >&-"])
    func output(closed: String) throws {
        try Silt.shell(
            #"silt query "$0" 'INSERT INTO T VALUES (1); SELECT id FROM T' \#(closed)"#, store
        ).expect(status: 5, error: "cannot write standard output")
        try Silt.run("verify", "--quiet", store).expect(status: 0)
        #expect(try Silt.run("query", "--csv", store, "SELECT id FROM T").text == "id\n1\n")
    }

    @Test("no file of the store is read as input")
    func input() throws {
        try Silt.shell(#"silt load "$0" <&-"#, store).expect(status: 5, error: "cannot read standard input")
        try Silt.run("verify", "--quiet", store).expect(status: 0)
    }

    @Test("errors go into no file of the store")
    func errors() throws {
        let result = try Silt.shell(#"silt query "$0" 'INSERT INTO T VALUES (1), (1)' <&- >&- 2>&-"#, store)
        #expect(result.status == 2)
        try Silt.run("verify", "--quiet", store).expect(status: 0)
        #expect(try Silt.run("query", "--csv", store, "SELECT COUNT(*) AS n FROM T").text == "n\n0\n")
    }
}
