#!/usr/bin/env bash
# pyarrow: 0.0 and -0.0 are equal in a comparison and two values in is_in, unique, group_by and join.
#
# Guess: 0.0 = -0.0 everywhere, as IEEE 754 says and as DuckDB, polars and pandas do when they group; whoever hashes floats folds the two.
# Seen: pyarrow.compute.equal says true. is_in of -0.0 in [0.0] is false, unique gives both, group_by makes two groups, and an inner join
#   drops the row with -0.0, in one and the same library. NaN is the other way round: not equal, yet found by is_in, and joined.
# For an importer that deduplicates, groups or joins with Arrow, and for an engine that hashes or orders floats by their bits: a
#   computed column (a rounding, 0 * -1) carries -0.0 without showing it. Fold it before it becomes a key, and test joins with it.
# Versions: pyarrow 26.0.1, duckdb 2.0.1, polars 2.1.0, pandas 3.1.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0 pandas==3.1.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import sys
import duckdb, pandas, polars, pyarrow, pyarrow.compute as compute

zeros = pyarrow.array([0.0, -0.0])
nan = pyarrow.array([float("nan")])
one = pyarrow.table({"key": pyarrow.array([0.0]), "right": [1]})
table = table_of_zeros = pyarrow.table({"key": zeros, "left": [1, 2]})
seen = {
    "pyarrow equal": compute.equal(zeros[0], zeros[1]).as_py(),
    "pyarrow is_in": compute.is_in(zeros, value_set=pyarrow.array([0.0])).to_pylist(),
    "pyarrow unique": len(zeros.unique()),
    "pyarrow groups": table.group_by("key").aggregate([("left", "sum")]).num_rows,
    "pyarrow joined rows": table.join(one, "key", join_type="inner").num_rows,
    "pyarrow NaN equal": compute.equal(nan[0], nan[0]).as_py(),
    "pyarrow NaN is_in": compute.is_in(nan, value_set=nan).to_pylist(),
    "pyarrow NaN joined rows": pyarrow.table({"key": nan}).join(pyarrow.table({"key": nan, "right": [1]}), "key", join_type="inner").num_rows,
    "duckdb groups": len(duckdb.sql("SELECT key FROM table_of_zeros GROUP BY key").fetchall()),
    "polars groups": polars.from_arrow(table).group_by("key").agg(polars.col("left").sum()).height,
    "polars joined rows": polars.from_arrow(table).join(polars.from_arrow(one), on="key").height,
    "pandas groups": len(table.to_pandas().groupby("key").sum()),
}
expected = {
    "pyarrow equal": True,
    "pyarrow is_in": [True, False],
    "pyarrow unique": 2,
    "pyarrow groups": 2,
    "pyarrow joined rows": 1,
    "pyarrow NaN equal": False,
    "pyarrow NaN is_in": [True],
    "pyarrow NaN joined rows": 1,
    "duckdb groups": 1,
    "polars groups": 1,
    "polars joined rows": 2,
    "pandas groups": 1,
}
for what, answer in seen.items():
    print(f"{what}: {answer}")
print("as stated" if seen == expected else "changed")
sys.exit(seen != expected)
PROGRAM
