/// The supported SQL syntax, for error messages.
package enum SQLGrammar {
    static let statements = """
        SELECT, INSERT, UPDATE, DELETE, CREATE TABLE, CREATE INDEX, DROP TABLE, DROP INDEX, ALTER TABLE, BEGIN, COMMIT, \
        ROLLBACK, SAVEPOINT, RELEASE, EXPLAIN, PRAGMA.
        """
    static let select = """
        SELECT [DISTINCT] * | columns [AS name] | COUNT(*) | COUNT, MIN, MAX, SUM, AVG of a column FROM one table \
        [WHERE …] [GROUP BY columns] [HAVING …] [ORDER BY columns [ASC|DESC]] [LIMIT n [OFFSET n]]. For joins use the typed API.
        """
    static let condition = """
        =, ==, <>, !=, <, <=, >, >=, AND, OR, NOT, IS [NOT] NULL, [NOT] IN (values), [NOT] BETWEEN … AND …, [NOT] LIKE, \
        parentheses, between columns, values and the parameters ?, ?1, $1.
        """
    static let insert = """
        INSERT [OR REPLACE|OR IGNORE] INTO table [(columns)] VALUES (…), … | DEFAULT VALUES [RETURNING …].
        """
    static let update = "UPDATE table SET column = value, … [WHERE …] [RETURNING …]."
    static let delete = "DELETE FROM table [WHERE …] [RETURNING …]."
    static let createTable = """
        CREATE TABLE [IF NOT EXISTS] name (column type [PRIMARY KEY] [NOT NULL] [DEFAULT value] [UNIQUE] [REFERENCES \
        table [(key)] [ON DELETE|UPDATE action]], … [, PRIMARY KEY (…)] [, UNIQUE (…)] [, FOREIGN KEY (column) \
        REFERENCES …]).
        """
    static let createIndex = "CREATE [UNIQUE] INDEX [IF NOT EXISTS] [name] ON table (columns)."
    static let drop = "DROP TABLE [IF EXISTS] name; DROP INDEX [IF EXISTS] name."
    static let alter = """
        ALTER TABLE name ADD [COLUMN] column type …; DROP [COLUMN] name; RENAME [COLUMN] name TO name; RENAME TO name.
        """
    static let transaction = """
        BEGIN; COMMIT or END; ROLLBACK [TO name]; SAVEPOINT name; RELEASE name.
        """
    static let pragma = "PRAGMA foreign_keys; table_info(table); table_list; index_list(table)."
    static let value = "'text', numbers, x'blob', TRUE, FALSE, NULL, ?, ?1, $1, last_insert_rowid()."

    /// Unsupported parts of SQL, by their first keyword.
    static let constructs: [String: String] = {
        let joins = "Joins are not supported: use `join` of the typed API."
        let sets = "UNION, INTERSECT and EXCEPT are not supported: run one SELECT after the other."
        return [
            "JOIN": joins, "LEFT": joins, "RIGHT": joins, "FULL": joins, "INNER": joins, "OUTER": joins, "CROSS": joins,
            "NATURAL": joins, "UNION": sets, "INTERSECT": sets, "EXCEPT": sets,
            "CASE": "CASE is not supported: compute in the program.", "CAST": "CAST is not supported.",
            "COLLATE": "Collations are not supported: text is ordered by its UTF-8 bytes.",
            "GLOB": "GLOB is not supported: use LIKE.", "REGEXP": "REGEXP is not supported: use LIKE.",
            "OVER": "Window functions are not supported.", "WITH": "WITH is not supported.",
            "SELECT": "Subqueries are not supported.", "EXISTS": "EXISTS of a subquery is not supported.",
            "HAVING": "HAVING stands behind GROUP BY, or beside aggregates.",
        ]
    }()

    /// Keywords that must be quoted as names.
    package static let reserved: Set<String> = [
        "ADD", "ALL", "ALTER", "AND", "AS", "ASC", "BETWEEN", "BY", "CHECK", "COMMIT", "CONSTRAINT", "CREATE",
        "DEFAULT", "DELETE", "DESC", "DISTINCT", "DROP", "EXCEPT", "EXISTS", "FOREIGN", "FROM", "GROUP", "HAVING", "IN",
        "INDEX", "INSERT", "INTERSECT", "INTO", "IS", "ISNULL", "JOIN", "LIKE", "LIMIT", "NATURAL", "NOT", "NOTNULL",
        "NULL", "OFFSET", "ON", "OR", "ORDER", "PRIMARY", "REFERENCES", "RETURNING", "SELECT", "SET", "TABLE", "THEN",
        "TO", "UNION", "UNIQUE", "UPDATE", "USING", "VALUES", "WHEN", "WHERE", "LEFT", "INNER", "CROSS", "OUTER",
        "FALSE", "TRUE", "CASE",
    ]
}
