#!/usr/bin/env bash
# DuckDB's JSON: ->> gives a decimal number after a trip through a double, while larger integers and read_json keep every digit.
#
# Guess: JSON is kept as text, so ->> hands out the number's digits as they stand, and a cast to DECIMAL of them is exact.
# Seen: the value as a whole keeps its text. ->> and -> of 123456789012345678.12 give 123456789012345680.0, and 1.10 becomes 1.1, 1E2
#   becomes 100.0; the cast to DECIMAL(20, 2) then is off by 1.88 without an error. Integers of any length come out whole, and so do
#   strings. read_json with a declared DECIMAL column reads the same text exactly. SQLite's -> gives the text as it stands.
# For an importer of amounts by way of DuckDB: declare the columns' types to read_json (or send decimals as strings) and never pick them
#   out with ->>. For an engine with JSON of its own: hand numbers on as text until somebody names a type.
# Versions: duckdb 2.0.1, apsw 3.54.1.0 (SQLite 3.54.1).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib duckdb==2.0.1 apsw==3.54.1.0
PYTHONPATH=lib python3 - <<'PROGRAM'
import apsw, duckdb, sys
from decimal import Decimal

def one(query):
    return duckdb.sql(query).fetchall()[0][0]

amount = "123456789012345678.12"
with open("a.json", "w") as file:
    file.write('{"a":%s}\n' % amount)
seen = {
    "whole": one(f"""SELECT '{{"a":{amount}}}'::JSON::VARCHAR"""),
    "->>": one(f"""SELECT '{{"a":{amount}}}'::JSON->>'a'"""),
    "-> cast": one(f"""SELECT ('{{"a":{amount}}}'::JSON->'a')::DECIMAL(20, 2)"""),
    "->> cast": one(f"""SELECT ('{{"a":{amount}}}'::JSON->>'a')::DECIMAL(20, 2)"""),
    "->> of 1.10": one("""SELECT '{"a":1.10}'::JSON->>'a'"""),
    "->> of 1E2": one("""SELECT '{"a":1E2}'::JSON->>'a'"""),
    "->> of an integer": one("""SELECT '{"a":12345678901234567890123}'::JSON->>'a'"""),
    "->> of a string": one(f"""SELECT '{{"a":"{amount}"}}'::JSON->>'a'"""),
    "read_json": one("SELECT a FROM read_json('a.json', columns = {'a': 'DECIMAL(20, 2)'})"),
    "SQLite ->": apsw.Connection(":memory:").execute(f"""SELECT '{{"a":{amount}}}'->'a'""").fetchall()[0][0],
}
expected = {
    "whole": '{"a":%s}' % amount,
    "->>": "123456789012345680.0",
    "-> cast": Decimal("123456789012345680.00"),
    "->> cast": Decimal("123456789012345680.00"),
    "->> of 1.10": "1.1",
    "->> of 1E2": "100.0",
    "->> of an integer": "12345678901234567890123",
    "->> of a string": amount,
    "read_json": Decimal(amount),
    "SQLite ->": amount,
}
for what, answer in seen.items():
    print(f"{what}: {answer}" + ("" if answer == expected[what] else f", not {expected[what]}"))
print("as stated" if seen == expected else "changed")
sys.exit(seen != expected)
PROGRAM
