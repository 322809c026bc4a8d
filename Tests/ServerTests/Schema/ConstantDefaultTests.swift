#if PostgreSQL || MySQL || SQLite
import TableSQL
import Testing

/// Defaults as the catalogues of servers write them.
struct ConstantDefaultTests {
    @Test(
        "literals with signs and casts are constants",
        arguments: [
            "5", "'-5'::integer", "'-1e-300'::double precision", "'a''b\\c'::text", "'\\x00ff'::bytea", "true",
            "'a'::mood", "'a'::public.\"Mood\"", "'abc'::character varying(10)", "NULL::character varying", "1.5",
            "'2020-01-01 00:00:00'::timestamp(3) without time zone", "(5)::bigint", "-9223372036854775808", "(- 5)",
            "convert(X'6162' using utf8mb4)", "unhex('00ff')", "b'101'", "5e300", "-1e-300", "_utf8mb4'a'",
            "CAST(x'6100' AS TEXT)", "9e999", "+7", ".5", "x'00ff'", "'now()'", "'a::b'::text",
        ])
    func constants(_ text: String) { #expect(ConstantDefault.isConstant(text)) }

    @Test(
        "whatever the server must compute is none",
        arguments: [
            "now()", "CURRENT_TIMESTAMP", "current_timestamp()", "gen_random_uuid()", "uuid()", "(a * 2)",
            "datetime('now')", "nextval('s'::regclass)", "'A' || nextval('s')", "('now'::text)::date",
            "('x'::regclass)::text", "time('now')", "((price * qty))", "'{}'::text[]", "ARRAY[1]", "(1 + 2)", "1/0",
            "\"name\"", "E'a\\'b'", "'open", "", " ", ".", "f('x')", "_f('x')", "null('x')", "1; DROP TABLE t",
            "5 --", "(SELECT 1)",
        ])
    func others(_ text: String) { #expect(!ConstantDefault.isConstant(text)) }

    @Test("a sum of literals is a constant where the server can always compute it") func sums() {
        #expect(ConstantDefault.isConstant("-9223372036854775807 - 1", allowsSums: true))
        #expect(!ConstantDefault.isConstant("-9223372036854775807 - 1"))
    }
}
#endif
