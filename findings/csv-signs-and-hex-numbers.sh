#!/usr/bin/env bash
# CSV: a column of +1 is an integer to pandas, a float to pyarrow and text to DuckDB and polars; 0x10 is 16 to DuckDB and pyarrow.
#
# Guess: what a type sniffer takes for an integer is the same in all four: digits with an optional sign, and nothing with letters.
# Seen: a leading plus makes three different types, and a column of hexadecimal numbers (hashes, device addresses, flags) is read as
#   integers by two of them without being asked, so that 0x10 and 16 are one value afterwards and leading zeros and case are lost.
# For an importer: state the columns' types instead of letting a reader guess them; and an exporter of keys such as 0x0010 or +1 should
#   not hope that they stay text. Two readers over one file do not agree on its schema.
# Versions: duckdb 2.0.1, pandas 3.1.1, polars 2.1.0, pyarrow 26.0.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib duckdb==2.0.1 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import sys
import duckdb, pandas, polars, pyarrow.csv

with open("t.csv", "w") as file:
    file.write("plain,plus,hex\n-1,+1,0x10\n2,+2,0x0A\n")
seen = {
    "duckdb": duckdb.sql("SELECT * FROM read_csv('t.csv')").fetchall(),
    "pandas": [tuple(row) for row in pandas.read_csv("t.csv").to_dict("split")["data"]],
    "polars": polars.read_csv("t.csv").rows(),
    "pyarrow": [tuple(row.values()) for row in pyarrow.csv.read_csv("t.csv").to_pylist()],
}
expected = {
    "duckdb": [(-1, "+1", 16), (2, "+2", 10)],
    "pandas": [(-1, 1, "0x10"), (2, 2, "0x0A")],
    "polars": [(-1, "+1", "0x10"), (2, "+2", "0x0A")],
    "pyarrow": [(-1, 1.0, 16), (2, 2.0, 10)],
}
for reader, rows in seen.items():
    print(reader, rows)
as_stated = repr(seen) == repr(expected)
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
