#!/usr/bin/env bash
# DuckDB and pandas read a .csv.zst that was cut short as if it were whole, and with a wrong last number.
#
# Guess: a compressed file that ends in the middle of a frame is an error in every reader, as it is for .csv.gz in all of these four.
# Seen: DuckDB's read_csv and pandas' read_csv end at the last block that is complete, without an error or a warning: 291,604 of
#   300,000 rows of a file that lacks six bytes. The block ends within a number, whose first digits become the last row's value. polars
#   and pyarrow refuse the file, and so does every reader the same data in .csv.gz. (pandas reads through the package
#   zstandard, whose one-shot decompress refuses it too.)
# For an importer: the end of the input is not the end of the data unless the decompressor says that the frame is complete. Test the
#   last call's result, and test with cut files once for each compression, since one of them being right says nothing about another.
# Versions: duckdb 2.0.1, pandas 3.1.1 with zstandard 0.25.0, polars 2.1.0, pyarrow 26.0.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib duckdb==2.0.1 pandas==3.1.1 zstandard==0.25.0 polars==2.1.0 pyarrow==26.0.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import gzip, random, sys
import duckdb, pandas, polars, pyarrow.csv, zstandard

random.seed(2)
rows = [random.randrange(10**9) for _ in range(300_000)]
plain = "number\n" + "".join(f"{row}\n" for row in rows)
readers = {
    "duckdb": lambda name: [row[0] for row in duckdb.sql(f"SELECT number FROM read_csv('{name}')").fetchall()],
    "pandas": lambda name: pandas.read_csv(name)["number"].tolist(),
    "polars": lambda name: polars.read_csv(name)["number"].to_list(),
    "pyarrow": lambda name: pyarrow.csv.read_csv(name)["number"].to_pylist(),
}
compressions = {"zst": zstandard.ZstdCompressor().compress, "gz": gzip.compress}
seen = {}
for ending, compress in compressions.items():
    whole = compress(plain.encode())
    for cut in (0, 6):
        name = f"{cut}.csv.{ending}"
        with open(name, "wb") as file:
            file.write(whole[: len(whole) - cut])
        for reader, read in readers.items():
            try:
                values = read(name)
                answer = (len(values), "right" if values == rows[: len(values)] else "wrong at the end")
            except Exception:
                answer = "refused"
            seen[ending, cut, reader] = answer
            print(f".csv.{ending} less {cut} bytes, {reader}: {answer}")
expected = {key: "refused" if key[1] else (300_000, "right") for key in seen}
expected["zst", 6, "duckdb"] = expected["zst", 6, "pandas"] = (291_604, "wrong at the end")
print("as stated" if seen == expected else "changed")
sys.exit(seen != expected)
PROGRAM
