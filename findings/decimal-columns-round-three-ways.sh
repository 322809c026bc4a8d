#!/usr/bin/env bash
# Decimals: reading 1.005 and 1.015 as DECIMAL(10, 2) gives 1.01 and 1.02 in DuckDB, 1.00 and 1.02 in polars, and an error in pyarrow.
#
# Guess: all three round half away from zero, as SQL databases do and as tax rules want it, or all refuse to lose a digit.
# Seen: DuckDB rounds half away from zero, polars half to even, pyarrow refuses ("would cause data loss") from text and from decimals.
#   From a double pyarrow rounds all the same, by its true value (2.675 is a little less, and becomes 2.67), where polars has 2.68.
#   DuckDB itself makes 3 of 2.5 as a DECIMAL and 2 of it as a DOUBLE when it becomes an INTEGER.
# For an importer: cents differ with the tool, not with the data. Declare a scale that holds what the file has and round where you choose,
#   or refuse as pyarrow does. An engine should say which of the three it does and test a tie of either parity and sign.
# Versions: duckdb 2.0.1, polars 2.1.0, pyarrow 26.0.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import sys
import duckdb, polars, pyarrow, pyarrow.csv

texts = ["1.005", "-1.005", "1.015"]
with open("t.csv", "w") as file:
    file.write("x\n" + "\n".join(texts) + "\n")

def shown(values):
    return " ".join(map(str, values))

def by_pyarrow(call):
    try:
        return shown(call())
    except pyarrow.ArrowInvalid:
        return "refused"

money = pyarrow.decimal128(10, 2)
options = pyarrow.csv.ConvertOptions(column_types={"x": money})
read = "FROM read_csv('t.csv', header = true, columns = {'x': 'DECIMAL(10, 2)'})"
seen = {
    "duckdb CSV": shown(row[0] for row in duckdb.sql(f"SELECT x {read}").fetchall()),
    "polars CSV": shown(polars.read_csv("t.csv", schema={"x": polars.Decimal(10, 2)})["x"].to_list()),
    "polars cast": shown(polars.Series(texts).cast(polars.Decimal(10, 2)).to_list()),
    "pyarrow CSV": by_pyarrow(lambda: pyarrow.csv.read_csv("t.csv", convert_options=options)["x"].to_pylist()),
    "pyarrow cast": by_pyarrow(lambda: pyarrow.array(texts).cast(money).to_pylist()),
    "double 2.675, polars": shown(polars.Series([2.675]).cast(polars.Decimal(10, 2)).to_list()),
    "double 2.675, pyarrow": by_pyarrow(lambda: pyarrow.array([2.675]).cast(money).to_pylist()),
    "2.5 to INTEGER, duckdb": shown(duckdb.sql("SELECT 2.5::DECIMAL(2, 1)::INTEGER, 2.5::DOUBLE::INTEGER").fetchall()[0]),
}
expected = {
    "duckdb CSV": "1.01 -1.01 1.02",
    "polars CSV": "1.00 -1.00 1.02",
    "polars cast": "1.00 -1.00 1.02",
    "pyarrow CSV": "refused",
    "pyarrow cast": "refused",
    "double 2.675, polars": "2.68",
    "double 2.675, pyarrow": "2.67",
    "2.5 to INTEGER, duckdb": "3 2",
}
for what, answer in seen.items():
    print(f"{what}: {answer}" + ("" if answer == expected[what] else f", not {expected[what]}"))
print("as stated" if seen == expected else "changed")
sys.exit(seen != expected)
PROGRAM
