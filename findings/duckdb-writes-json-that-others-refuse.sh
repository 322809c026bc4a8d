#!/usr/bin/env bash
# DuckDB writes NaN and Infinity bare into JSON and calls it valid; orjson, polars and SQLite refuse the file.
#
# Guess: as JSON has no such numbers, an export writes null, or a string, or fails; and json_valid says no to a bare NaN.
# Seen: COPY … TO a JSON file writes NaN and -Infinity as they are, to_json does too, and json_valid is true of them. DuckDB and Python's
#   json module read them back. orjson and polars give up on the whole file, SQLite's json_valid says no. polars' own writer puts null,
#   so that a NaN is a NULL on the other side.
# For an exporter: one not-a-number in one row makes a file of any size unreadable to half of its readers, and no error says so when it
#   is written. For an importer: a validity check of one program is none for the next.
# Versions: duckdb 2.0.1, orjson 3.13.0, polars 2.1.0, apsw 3.54.1.0 (SQLite 3.54.1).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib duckdb==2.0.1 orjson==3.13.0 polars==2.1.0 apsw==3.54.1.0
PYTHONPATH=lib python3 - <<'PROGRAM'
import json, sys
import apsw, duckdb, orjson, polars

duckdb.execute("COPY (SELECT 'NaN'::DOUBLE AS a, '-Infinity'::DOUBLE AS b) TO 't.json'")
with open("t.json") as file:
    text = file.read().strip()

def refused(call):
    try:
        return str(call())
    except (orjson.JSONDecodeError, polars.exceptions.ComputeError):
        return "refused"

seen = {
    "file": text,
    "json_valid of DuckDB": str(duckdb.sql("SELECT json_valid(to_json('NaN'::DOUBLE))").fetchall()[0][0]),
    "duckdb": str(duckdb.sql("SELECT * FROM read_json('t.json')").fetchall()[0]),
    "json": str(json.loads(text)),
    "orjson": refused(lambda: orjson.loads(text)),
    "polars": refused(lambda: polars.read_ndjson("t.json")),
    "json_valid of SQLite": str(apsw.Connection(":memory:").execute("SELECT json_valid(?)", (text,)).fetchall()[0][0]),
    "polars writes": polars.DataFrame({"a": [float("nan")], "b": [float("-inf")]}).write_ndjson().strip(),
}
expected = {
    "file": '{"a":NaN,"b":-Infinity}',
    "json_valid of DuckDB": "True",
    "duckdb": "(nan, -inf)",
    "json": "{'a': nan, 'b': -inf}",
    "orjson": "refused",
    "polars": "refused",
    "json_valid of SQLite": "0",
    "polars writes": '{"a":null,"b":null}',
}
for what, answer in seen.items():
    print(f"{what}: {answer}" + ("" if answer == expected[what] else f", not {expected[what]}"))
print("as stated" if seen == expected else "changed")
sys.exit(seen != expected)
PROGRAM
