#if PostgreSQL
import TableKit
import TableSQL

extension PostgresDatabaseConfiguration {
    /// Installs a trigger that announces each statement that changes a table, so that observers also detect changes by
    /// programs without Siltstone. Does nothing if the table has it. Several programs and roles may call it at once.
    ///
    /// Needs the rights to create triggers on the table and functions in its schema. Waits at most 5 s for other
    /// programs that install triggers, and 5 s for transactions that use the table.
    /// - Parameter table: the name of a table.
    /// - Throws: `CRUDSQLExeError`, with ``TableKit/TableErrorCode/noTable`` if the table does not exist.
    public func announceForeignChanges(of table: String) async throws {
        try await change(table) { try ForeignChangeTrigger.install(on: $0, $1) }
    }

    /// Removes the trigger of ``announceForeignChanges(of:)``, whoever has installed it. Does nothing if the table has no
    /// such trigger. Also removes the trigger's function if no other table uses it, and this role may drop it. Else its
    /// owner may: `DROP FUNCTION`.
    ///
    /// Needs to be the owner of the table.
    /// - Parameter table: the name of a table.
    /// - Throws: `CRUDSQLExeError`, with ``TableKit/TableErrorCode/noTable`` if the table does not exist.
    public func withdrawForeignChanges(of table: String) async throws {
        try await change(table) { try ForeignChangeTrigger.remove(from: $0, $1) }
    }

    private func change(
        _ table: String, _ body: @escaping @Sendable (String, PostgresConnection) throws -> Void
    ) async throws {
        let name = try PostgresDialect().quote(table)
        do { try await server.pool.withConnection { try body(name, $0) } } catch let error as SQLConnectionError {
            throw error.tableError
        }
    }
}

/// The trigger of ``PostgresDatabaseConfiguration/announceForeignChanges(of:)``, as the catalogue has it.
///
/// Its function belongs to the role that installs it and has the role's name. The owner of a function may replace it:
/// one for all roles would let the first run its text with the rights of the others.
struct ForeignChangeTrigger: Equatable {
    private static let name = "siltstone_announce"
    /// The two halves of the key of the lock that lets programs install triggers one after the other.
    private static let lock: (Int32, Int32) = (CommitChannel.lock.0, 2)

    /// The table's schema.
    var schema: String
    /// The name of the function that this role would make.
    var function: String
    /// Whether the table has a trigger with the name, whatever it does.
    var exists: Bool
    /// Whether it is this version's, and enabled.
    var isCurrent: Bool
    /// The function of the table's trigger, quoted, if this role may drop it and no other trigger uses it.
    var unneededFunction: String?

    /// - Parameter table: the table's quoted name.
    static func install(on table: String, _ connection: PostgresConnection) throws {
        if try find(on: table, connection).isCurrent { return }
        try connection.inDefinition {
            let found = try find(on: table, connection)
            if found.isCurrent { return [] }
            let dialect = PostgresDialect()
            let schema = try dialect.quote(found.schema)
            let function = "\(schema).\(try dialect.quote(found.function))()"
            return [
                "CREATE OR REPLACE FUNCTION \(function) RETURNS trigger LANGUAGE plpgsql SET \(searchPath.sql) AS $$"
                    + body + "$$",
                // It locks the table also against readers.
                found.exists ? "DROP TRIGGER \(name) ON \(schema).\(table)" : nil,
                "CREATE TRIGGER \(name) AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON \(schema).\(table)"
                    + " FOR EACH STATEMENT EXECUTE FUNCTION \(function)",
            ].compactMap { $0 }
        }
    }

    /// - Parameter table: the table's quoted name.
    static func remove(from table: String, _ connection: PostgresConnection) throws {
        guard try find(on: table, connection).exists else { return }
        try connection.inDefinition {
            let found = try find(on: table, connection)
            guard found.exists else { return [] }
            let schema = try PostgresDialect().quote(found.schema)
            return ["DROP TRIGGER \(name) ON \(schema).\(table)"]
                + (found.unneededFunction.map { ["DROP FUNCTION \($0)"] } ?? [])
        }
    }

    /// As SQL, and as the catalogue shows it. The function's names mean the server's own, whatever the caller's path.
    private static let searchPath = (sql: "search_path = pg_catalog, pg_temp", entry: "search_path=pg_catalog, pg_temp")

    private static let body = """

        BEGIN
            IF NOT pg_try_advisory_xact_lock_shared(\(CommitChannel.lock.0), \(CommitChannel.lock.1)) THEN
                PERFORM pg_notify('\(CommitChannel.name)',
                    json_build_object('tables', json_build_array(TG_TABLE_NAME))::text);
            END IF;
            RETURN NULL;
        END

        """

    /// A trigger's type of `AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE FOR EACH STATEMENT`.
    private static let type = 4 + 8 + 16 + 32

    /// The name of this role's function. It has a digest of a role's name that would make it too long: a name that is cut
    /// may be another role's.
    private static let functionName = """
        '\(name)_' || CASE WHEN octet_length('\(name)_' || current_user) < 64 THEN current_user::text
            ELSE md5(current_user) END
        """

    private static let question = """
        SELECT n.nspname::text, \(functionName), t.oid IS NOT NULL,
            coalesce(t.tgtype = \(type) AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL AND p.prosrc = $2::text
                AND p.proconfig = ARRAY['\(searchPath.entry)'], false),
            CASE WHEN p.proname LIKE '\(name)%' AND pg_has_role(p.proowner, 'USAGE')
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger o WHERE o.tgfoid = p.oid AND o.oid <> t.oid)
                THEN p.oid::regprocedure::text END
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_catalog.pg_trigger t ON t.tgrelid = c.oid AND t.tgname = '\(name)' AND NOT t.tgisinternal
            LEFT JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid
        WHERE c.oid = $1::text::regclass
        """

    /// - Parameter table: the table's quoted name.
    static func find(on table: String, _ connection: PostgresConnection) throws -> ForeignChangeTrigger {
        let answer = try connection.execute(
            SQLStatement(
                question, [.value(.text(table), .string), .value(.text(body), .string)],
                results: [.string, .string, .bool, .bool, .string], isRepeated: false))
        guard let row = answer.rows.first, case .text(let schema) = row[0], case .text(let function) = row[1] else {
            throw SQLConnectionError(.statement, code: .noTable, "There is no table \(table)")
        }
        var trigger = ForeignChangeTrigger(
            schema: schema, function: function, exists: row[2] == .bool(true), isCurrent: row[3] == .bool(true))
        if case .text(let unneeded) = row[4] { trigger.unneededFunction = unneeded }
        return trigger
    }

    /// The statements at the start of a transaction that installs or removes triggers. Programs take turns, and each
    /// sees what the earlier ones have made.
    fileprivate static let beginning = [
        // Everybody else queues behind a statement that waits for a table.
        "SET LOCAL lock_timeout = '5s'", "SELECT pg_advisory_xact_lock(\(lock.0), \(lock.1))",
    ]
}

extension PostgresConnection {
    /// Runs the statements that `body` returns, in one transaction with it. Programs take turns.
    fileprivate func inDefinition(_ body: () throws -> [String]) throws {
        func run(_ statements: [String]) throws {
            _ = try executeAll(statements.map { SQLStatement($0, isRepeated: false) })
        }
        // Statements must see what was committed while this transaction waited for its turn.
        executeLater(SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED"))
        do {
            try run(ForeignChangeTrigger.beginning)
            try run(try body() + ["COMMIT"])
        } catch {
            // The first error is thrown. If the rollback fails too, the connection is closed.
            if isUsable, link.isInTransaction { do { try run(["ROLLBACK"]) } catch { close() } }
            throw error
        }
    }
}
#endif
