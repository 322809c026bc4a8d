#if PostgreSQL
/// The words and signs that ``StrictFilter`` accepts. `Docs/Databases.md` cites their documentation by CockroachDB,
/// YugabyteDB and Citus; a new word must be added there, too.
enum StrictVocabulary {
    /// First words of statements.
    static let statements = set(
        "select insert update delete values explain begin commit rollback savepoint release set show create alter drop"
            + " comment deallocate")

    /// Other words. Aliases are a letter and digits.
    static let words: Set<String> = statements.union(queries).union(changes).union(transactions).union(schema)
        .union(types).union(functions).union(sequences).union(dates).union(catalogue).union(aliases)

    private static let queries = set(
        "all and any as asc between by case coalesce cross desc distinct else end escape except exists false filter"
            + " first from group having in inner is join last lateral left like limit not null nulls offset on or order"
            + " ordinality outer then true union using when where with")
    private static let changes = set("conflict default do excluded into nothing returning")
    private static let transactions = set(
        "committed isolation level local only read repeatable serializable standard_conforming_strings"
            + " statement_timeout lock_timeout to transaction transaction_read_only write")
    private static let schema = set(
        "action add always cascade column constraint foreign generated identity if index key primary references rename"
            + " restrict table type unique valid no")
    private static let types = set(
        "bigint boolean bytea double float integer json jsonb numeric precision real smallint text timestamp uuid")
    private static let functions = set(
        "array_agg avg bool_and bool_or count format_type greatest least lower max min nullif sum unnest upper")
    /// Words that raise a sequence to given keys.
    private static let sequences = set("pg_get_serial_sequence pg_sequence_last_value regclass setval")
    /// Words that convert dates for columns of other programs.
    private static let dates = set("at epoch extract time to_timestamp zone")
    /// Views and columns of `pg_catalog`.
    private static let catalogue = set(
        "pg_catalog pg_class pg_namespace pg_attribute pg_attrdef pg_index pg_get_expr col_description current_schema"
            + " current_schemas relname relnamespace relkind relispartition reltuples nspname attname atttypid"
            + " atttypmod attnotnull attnum attrelid attisdropped attidentity attgenerated adrelid adnum adbin"
            + " indisunique indisprimary indisvalid indrelid indexrelid indkey indpred indexprs indnatts indnkeyatts"
            + " oid place int2vector")
    private static let aliases = Set(
        "abcdefghijklmnopqrstuvwxyz".flatMap { letter in [String(letter)] + (0..<64).map { "\(letter)\($0)" } }
    ).union(["found", "one", "name", "value", "id", "item"])

    static let signs = set("( ) , . = <> != < <= > >= + - * / || :: [ ]")

    private static func set(_ words: String) -> Set<String> { Set(words.split(separator: " ").map(String.init)) }
}
#endif
