#if PostgreSQL
import TableKit
import TableSQL

extension PostgresDatabaseConfiguration {
    /// Installs a trigger that announces each statement that changes a table, so that observers also detect changes by
    /// programs without Siltstone. Idempotent. Needs the right to create functions and triggers.
    /// - Parameter table: the name of a table.
    /// - Throws: `CRUDSQLExeError`, with ``TableKit/TableErrorCode/noTable`` if the table does not exist.
    public func announceForeignChanges(of table: String) async throws {
        let name = try PostgresDialect().quote(table)
        let statements = ForeignChangeTrigger.statements(name)
        do {
            try await server.pool.withConnection { connection in
                _ = try connection.executeAll(statements.map { SQLStatement($0, isRepeated: false) })
            }
        } catch let error as SQLConnectionError { throw error.tableError }
    }
}

/// The trigger of ``PostgresDatabaseConfiguration/announceForeignChanges(of:)``.
enum ForeignChangeTrigger {
    /// - Parameter table: the table's quoted name.
    static func statements(_ table: String) -> [String] {
        let (first, second) = CommitChannel.lock
        return [
            """
            CREATE OR REPLACE FUNCTION siltstone_announce() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF NOT pg_try_advisory_xact_lock_shared(\(first), \(second)) THEN
                    PERFORM pg_notify('\(CommitChannel.name)', json_build_object('tables', json_build_array(TG_TABLE_NAME))::text);
                END IF;
                RETURN NULL;
            END $$
            """,
            "DROP TRIGGER IF EXISTS siltstone_announce ON \(table)",
            "CREATE TRIGGER siltstone_announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON \(table)"
                + " FOR EACH STATEMENT EXECUTE FUNCTION siltstone_announce()",
        ]
    }
}
#endif
