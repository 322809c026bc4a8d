#!/usr/bin/env bash
# DuckDB: CAST(x AS VARCHAR) over read_csv gives the file's text and not the declared type's value, and forgives what is no such value.
#
# Guess: a column that is declared as DECIMAL(10, 2) has that type's values, so that a cast to text of 1.005 is 1.01 (or an error), and a
#   row that is no number fails the query whatever is selected.
# Seen: the cast is moved into the reader, which then reads the column as text: 1.005 stays 1.005, 007 stays 007 for an INTEGER, a TIMESTAMP
#   keeps seven digits of its seconds, and a row of "n/a" in the INTEGER column passes. The same cast over a materialized CTE, a table,
#   or beside the column itself gives the typed value or the error. So one expression has two values, by what stands beside it.
# For an importer that takes text out of DuckDB to load it elsewhere, or checks a file by reading it under a schema: the schema was not
#   applied. Load into a table first. For a planner: a cast that is moved into a scan must still go by way of the declared type.
# Versions: duckdb 2.0.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib duckdb==2.0.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import duckdb, sys

def rows(query):
    try:
        return [" ".join(map(str, row)) for row in duckdb.sql(query).fetchall()]
    except duckdb.Error as error:
        return type(error).__name__

def ways(declared, *texts):
    with open("t.csv", "w") as file:
        file.write("x\n" + "".join(f"{text}\n" for text in texts))
    source = f"FROM read_csv('t.csv', header = true, columns = {{'x': '{declared}'}})"
    return [
        rows(f"SELECT x::VARCHAR {source}"),
        rows(f"SELECT x::VARCHAR, x {source}"),
        rows(f"WITH t AS MATERIALIZED (SELECT x {source}) SELECT x::VARCHAR FROM t"),
    ]

expected = {
    ("DECIMAL(10, 2)", "1.005"): [["1.005"], ["1.01 1.01"], ["1.01"]],
    ("INTEGER", "007"): [["007"], ["7 7"], ["7"]],
    ("TIMESTAMP", "2024-12-31 23:59:59.9999999"): [
        ["2024-12-31 23:59:59.9999999"],
        ["2024-12-31 23:59:59.999999 2024-12-31 23:59:59.999999"],
        ["2024-12-31 23:59:59.999999"],
    ],
    ("INTEGER", "1", "n/a"): [["1", "n/a"], "ConversionException", "ConversionException"],
}
differing = 0
for case, answer in expected.items():
    seen = ways(*case)
    differing += seen != answer
    print(f"{case}: text alone {seen[0]}, with the column {seen[1]}, materialized {seen[2]}" + ("" if seen == answer else f", not {answer}"))
print("changed" if differing else "as stated")
sys.exit(bool(differing))
PROGRAM
