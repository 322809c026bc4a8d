#!/usr/bin/env bash
# Partitioned Parquet: a key of 007 comes back as 7 or as 007 depending on the reader, and pyarrow cannot read what polars wrote.
#
# Guess: a column of text that was written as partition folders comes back as text, at least to the tool that wrote it, and a folder of
#   one tool is read by the others, as single files are.
# Seen: k=007 is 7 to pyarrow, also in its own folders, and to polars in those of pyarrow and DuckDB; DuckDB and polars keep 007 of their
#   own. polars writes the key into the files as well; on its folders pyarrow's read_table always fails, since it takes the path's key
#   for a dictionary and finds text in the file. With one more key that is no number the others read text: the type hangs on the data.
# For an importer or exporter: give the partition's type to the reader, and choose keys (or a prefix) that no sniffer takes for a number.
#   What a test with letters shows does not hold for next month's 007.
# Versions: duckdb 2.0.1, polars 2.1.0, pyarrow 26.0.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import sys
import duckdb, polars, pyarrow, pyarrow.parquet as parquet

def refused(call):
    try:
        return call()
    except pyarrow.ArrowTypeError:
        return "refused"

def written(table, folder):
    parquet.write_to_dataset(table, f"{folder}pyarrow", partition_cols=["k"])
    polars.from_arrow(table).write_parquet(f"{folder}polars", partition_by="k", mkdir=True)
    duckdb.from_arrow(table).query("t", f"COPY t TO '{folder}duckdb' (FORMAT parquet, PARTITION_BY (k))")

def read(folder):
    return {
        "pyarrow": refused(lambda: parquet.read_table(folder)["k"].to_pylist()),
        "polars": polars.read_parquet(f"{folder}/**/*.parquet", hive_partitioning=True)["k"].to_list(),
        "duckdb": [row[0] for row in duckdb.sql(f"SELECT k FROM read_parquet('{folder}/**/*.parquet', hive_partitioning = true)").fetchall()],
    }

seen = {}
for name, keys in (("number", ["007"]), ("letters", ["007", "n"])):
    written(pyarrow.table({"k": keys, "v": list(range(len(keys)))}), name)
    for writer in "pyarrow", "polars", "duckdb":
        seen[name, writer] = {reader: answer if answer == "refused" else sorted(answer) for reader, answer in read(name + writer).items()}
        print(f"keys {keys} written by {writer}: {seen[name, writer]}")
text = ["007", "n"]
expected = {
    ("number", "pyarrow"): {"pyarrow": [7], "polars": [7], "duckdb": ["007"]},
    ("number", "polars"): {"pyarrow": "refused", "polars": ["007"], "duckdb": ["007"]},
    ("number", "duckdb"): {"pyarrow": [7], "polars": [7], "duckdb": ["007"]},
    ("letters", "pyarrow"): {"pyarrow": text, "polars": text, "duckdb": text},
    ("letters", "polars"): {"pyarrow": "refused", "polars": text, "duckdb": text},
    ("letters", "duckdb"): {"pyarrow": text, "polars": text, "duckdb": text},
}
print("as stated" if seen == expected else "changed")
sys.exit(seen != expected)
PROGRAM
