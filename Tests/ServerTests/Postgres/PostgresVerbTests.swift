#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing

@testable import PostgresTables

/// What needs no server.
struct PostgresTextTests {
    @Test(
        "Statements are told apart by their first words",
        arguments: [
            ("BEGIN", StatementVerb.begin), (" begin isolation level serializable", .begin),
            ("START TRANSACTION", .begin),
            ("COMMIT", .commit), ("end", .commit), ("ROLLBACK", .rollback), ("abort", .rollback),
            ("ROLLBACK TO s", .rollbackToSavepoint), ("rollback work to savepoint s", .rollbackToSavepoint),
            ("SAVEPOINT s", .savepoint), ("RELEASE SAVEPOINT s", .savepoint), ("SELECT 1", .read),
            ("FETCH 1 FROM c", .read),
            ("WITH a AS (DELETE FROM t RETURNING 1) SELECT 1", .other), ("INSERT INTO t VALUES (1)", .other),
            ("committee", .other), ("selected", .other), ("", .other), ("DEALLOCATE s1", .read),
        ])
    func verbs(_ text: String, _ verb: StatementVerb) { #expect(StatementVerb(text) == verb) }

    @Test(
        "A lost pipeline may have committed where one of its statements commits",
        arguments: [
            (["COMMIT"], true, true), (["INSERT"], false, true), (["INSERT"], true, false),
            (["SELECT 1"], false, false),
            (["BEGIN", "INSERT"], false, false), (["BEGIN", "INSERT", "COMMIT"], false, true),
            (["ROLLBACK"], true, false), (["ROLLBACK", "INSERT"], true, true),
            (["ROLLBACK TO s", "INSERT"], true, false),
        ])
    func commits(_ texts: [String], _ inTransaction: Bool, _ expected: Bool) {
        let statements = texts.map { SQLStatement($0) }
        #expect(StatementVerb.mayCommit(statements, inTransaction: inTransaction) == expected)
    }

    @Test("Advice on a full disk is not told where the outcome is unknown") func advice() {
        var error = SQLConnectionError(
            .statement, code: .engine, serverCode: "53100", "No space left", advice: PostgresError.advice("53100"))
        #expect(error.tableError.message.contains("make room and repeat it [53100]"))
        error.kind = .unknownOutcome
        #expect(
            error.tableError.message
                == "No space left [53100]. Whether the transaction has committed is unknown: look for its effects"
                + " before repeating it")
        #expect(!error.description.contains("repeat"))
    }

    @Test("Columns and key are read from a detail in any language") func details() {
        #expect(PostgresError.keyAndColumns("Key (id)=(5) already exists.") == ("id", "5"))
        #expect(PostgresError.keyAndColumns("Schlüssel »(a, b)=(1, (x))« existiert bereits.") == ("a, b", "1, (x)"))
        #expect(PostgresError.keyAndColumns(")=(") == (nil, nil))
        #expect(PostgresError.keyAndColumns("no key") == (nil, nil))
        #expect(PostgresError.keyAndColumns(nil) == (nil, nil))
    }

    @Test(
        "The strict mode takes statements apart as the server does",
        arguments: [
            "LISTEN x", "SELECT pg_advisory_lock(1)", "SELECT 1; DROP TABLE t", "SELECT 1 -- x", "SELECT /* */ 1",
            "DECLARE c CURSOR FOR SELECT 1", "LOCK TABLE t", "SELECT 'a", "SELECT E'a\\'b'", "SELECT $$a$$",
            "SELECT \"a",
            "NOTIFY x", "COPY t FROM STDIN", "SELECT 1 @> 2", "SELECT nextval('s')", "TRUNCATE t",
        ])
    func strictRefusals(_ text: String) throws {
        let error = try connectionError { try StrictFilter.check(text) }
        #expect(error.code == .unsupported)
    }

    @Test(
        "The strict mode lets names and literals pass, whatever is in them",
        arguments: [
            "SELECT \"LISTEN; --\"\"\" FROM \"t\" WHERE a = 'pg_advisory_lock(''1''); --' AND b = $1::text", "BEGIN",
            "SELECT t0.\"é\" FROM \"x\" AS t0 ORDER BY 1 NULLS FIRST LIMIT 5", "ROLLBACK TO SAVEPOINT s1",
        ])
    func strictPasses(_ text: String) throws { try StrictFilter.check(text) }

    @Test("Hosts, addresses and ports are paired as libpq pairs them") func hosts() {
        let three = HostAddress.addresses(hosts: "a,b,c", addresses: nil, ports: "1,2,3")
        #expect(three.map(\.description) == ["a:1", "b:2", "c:3"])
        let onePort = HostAddress.addresses(hosts: "a,b", addresses: nil, ports: "7")
        #expect(onePort.map(\.description) == ["a:7", "b:7"])
        let addresses = HostAddress.addresses(hosts: nil, addresses: "127.0.0.1,127.0.0.2", ports: nil)
        #expect(addresses.map(\.description) == ["127.0.0.1:5432", "127.0.0.2:5432"])
        #expect(HostAddress.addresses(hosts: nil, addresses: nil, ports: nil).count == 1)
    }

    @Test("More ports than hosts are refused, if the environment sets both, too") func tooManyPorts() async {
        await #expect(processExitsWith: .success) {
            setenv("PGHOST", "127.0.0.1,127.0.0.2", 1)
            setenv("PGPORT", "1,2,3", 1)
            let connector = try PostgresConnector("", options: PostgresOptions())
            let error = #expect(throws: SQLConnectionError.self) { _ = try connector.connect() }
            #expect(error?.code == .argument && error?.message == "There are 3 ports for 2 hosts.")
        }
    }

    @Test("Names of tables become different names of the server's, of at most 63 bytes") func tableNames() {
        let names = [
            "", "a", "A", "a b", "a%20b", "a\0", "é", "e\u{301}", String(repeating: "t", count: 300),
            String(repeating: "t", count: 301), String(repeating: "%", count: 100), "Clients",
        ]
        let found = Set(names.map { RecordTable.name(of: $0) })
        #expect(found.count == names.count && found.allSatisfy { $0.utf8.count <= 63 && !$0.contains("\"") })
        #expect(RecordTable.name(of: "Clients") == "repository_Clients")
    }
}
#endif
