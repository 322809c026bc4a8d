#!/usr/bin/env bash
# DuckDB: the SUM of a BIGINT column is exact in CSV, JSON and Arrow, and a rounded double in Parquet and in a data frame of pandas.
#
# Guess: the sum of integers is an integer in every export. Its type HUGEINT has 128 bits, for which Parquet has DECIMAL(38, 0).
# Seen: COPY … TO a Parquet file writes a DOUBLE, without a warning, also for sums that a BIGINT would hold; so does .df(). The
#   same result goes to Arrow as decimal128(38, 0), and to CSV and JSON with all digits. COUNT and MAX of a BIGINT stay integers, and so
#   does SUM if it is cast to BIGINT or DECIMAL.
# For an importer that reads such files: an integer key or a sum of cents arrives as a float, and above 2^53 as another number. For an
#   exporter: a type that the format lacks is an error or a wider exact type, never a nearer one by silence.
# Versions: duckdb 2.0.1, pyarrow 26.0.1, pandas 3.1.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib duckdb==2.0.1 pyarrow==26.0.1 pandas==3.1.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import duckdb, pyarrow.parquet, sys

source = "FROM (VALUES (9007199254740993::BIGINT), (0)) cents(x)"  # 2^53 + 1

def in_parquet(expression):
    duckdb.execute(f"COPY (SELECT {expression} AS s {source}) TO 's.parquet' (FORMAT parquet)")
    table = pyarrow.parquet.read_table("s.parquet")
    return str(table.schema.field("s").type), int(table["s"][0].as_py())

def in_text(ending):
    duckdb.execute(f"COPY (SELECT SUM(x) AS s {source}) TO 's.{ending}'")
    with open(f"s.{ending}") as file:
        return file.read().split("\n")[1 if ending == "csv" else 0]

result = duckdb.sql(f"SELECT SUM(x) AS s {source}")
seen = {
    "type": str(result.types[0]),
    "fetched": result.fetchall()[0][0],
    "CSV": in_text("csv"),
    "JSON": in_text("json"),
    "Arrow": str(result.to_arrow_table().schema.field("s").type),
    "pandas": str(result.df()["s"].dtype),
    "Parquet SUM(x)": in_parquet("SUM(x)"),
    "Parquet SUM(x)::BIGINT": in_parquet("SUM(x)::BIGINT"),
    "Parquet SUM(x)::DECIMAL(38, 0)": in_parquet("SUM(x)::DECIMAL(38, 0)"),
    "Parquet MAX(x)": in_parquet("MAX(x)"),
}
expected = {
    "type": "HUGEINT",
    "fetched": 9007199254740993,
    "CSV": "9007199254740993",
    "JSON": '{"s":9007199254740993}',
    "Arrow": "decimal128(38, 0)",
    "pandas": "float64",
    "Parquet SUM(x)": ("double", 9007199254740992),
    "Parquet SUM(x)::BIGINT": ("int64", 9007199254740993),
    "Parquet SUM(x)::DECIMAL(38, 0)": ("decimal128(38, 0)", 9007199254740993),
    "Parquet MAX(x)": ("int64", 9007199254740993),
}
for what, answer in seen.items():
    print(f"{what}: {answer}")
print("as stated" if seen == expected else "changed")
sys.exit(seen != expected)
PROGRAM
