#!/usr/bin/env bash
# CSV: a table of one column with NULLs has fewer rows after pyarrow wrote and read it, and after two more pairs of tools.
#
# Guess: whatever a writer makes of NULL, its own reader gets as many rows back, and so do the other readers of these four.
# Seen: pyarrow, polars and DuckDB write a NULL in a table of one column as an empty line. pyarrow and pandas read an empty line as no
#   row, so that pyarrow loses the rows that it wrote itself. pandas knows the trap when it writes, and puts "" there; of that polars
#   makes a column of text, with the numbers as strings. Only DuckDB reads back what each of the four wrote.
# For an importer or exporter: rows must be counted on both sides, and a NULL that is the whole line needs quotes (or a second column).
#   With two columns nothing is lost, so tests on wider tables do not find it.
# Versions: duckdb 2.0.1, pandas 3.1.1, polars 2.1.0, pyarrow 26.0.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib duckdb==2.0.1 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import sys
import duckdb, pandas, polars, pyarrow, pyarrow.csv

table = data = pyarrow.table({"number": pyarrow.array([1, None, 3, None])})
writers = {
    "pyarrow": lambda name: pyarrow.csv.write_csv(table, name),
    "polars": lambda name: polars.from_arrow(table).write_csv(name),
    "duckdb": lambda name: duckdb.execute(f"COPY (SELECT * FROM data) TO '{name}' (HEADER)"),
    "pandas": lambda name: table.to_pandas(types_mapper=pandas.ArrowDtype).to_csv(name, index=False),
}
readers = {
    "pyarrow": lambda name: pyarrow.csv.read_csv(name)["number"].to_pylist(),
    "polars": lambda name: polars.read_csv(name)["number"].to_list(),
    "duckdb": lambda name: [row[0] for row in duckdb.sql(f"SELECT number FROM read_csv('{name}')").fetchall()],
    "pandas": lambda name: [None if value != value else int(value) for value in pandas.read_csv(name)["number"]],
}

whole, short = [1, None, 3, None], [1, 3]
expected = {
    "pyarrow": {"pyarrow": short, "polars": whole, "duckdb": whole, "pandas": short},
    "polars": {"pyarrow": short, "polars": whole, "duckdb": whole, "pandas": short},
    "duckdb": {"pyarrow": short, "polars": whole, "duckdb": whole, "pandas": short},
    "pandas": {"pyarrow": whole, "polars": ["1", "", "3", ""], "duckdb": whole, "pandas": whole},
}
seen = {}
for writer, write in writers.items():
    write("table.csv")
    with open("table.csv") as file:
        print(f"{writer} writes {file.read()!r}")
    seen[writer] = {reader: read("table.csv") for reader, read in readers.items()}
    print("   read by", seen[writer])
print("as stated" if seen == expected else "changed")
sys.exit(seen != expected)
PROGRAM
