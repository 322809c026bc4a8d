import Testing

/// `silt verify` on stores whose files are in order and whose tables are not.
struct VerifyTablesTests {
    @Test("A reference to nothing is counted as a problem, and no index is blamed")
    func danglingReference() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("s")
        try Silt.run(
            "query", "--quiet", store,
            """
            CREATE TABLE Z (id INTEGER PRIMARY KEY);
            CREATE TABLE A (id INTEGER PRIMARY KEY, z INT REFERENCES Z(id));
            INSERT INTO Z VALUES (1);
            INSERT INTO A VALUES (1, 1)
            """
        ).expect(status: 0)
        try Silt.run("verify", store).expect(status: 0)
        // The row of Z.
        try Silt.run("delete", "--key-hex", store, "fe0101001501").expect(status: 0)
        let verify = try Silt.run("verify", store)
        verify.expect(status: 1, error: "1 problem in the tables")
        #expect(verify.errors.contains("rows that refer to missing ones"))
        #expect(verify.text.contains("Table A, row 1: column z refers to row 1 of Z"))
        #expect(verify.text.hasSuffix(": 1 problem\n"), "\(verify.text)")
    }

    @Test("Where tables cannot be read, the report of the files is printed all the same")
    func unreadableTables() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("s")
        try Silt.run("query", "--quiet", store, "CREATE TABLE Z (id INTEGER PRIMARY KEY)").expect(status: 0)
        // The catalogue.
        try Silt.run("put", "--key-hex", store, "fe0000", "damaged").expect(status: 0)
        let verify = try Silt.run("verify", store)
        verify.expect(status: 4, error: "catalogue")
        #expect(verify.text.hasSuffix(": no problems in files\n"), "\(verify.text)")
        let json = try Silt.run("verify", "--json", store)
        json.expect(status: 4)
        #expect(json.text.contains("\"problems\" : ["))
    }
}
