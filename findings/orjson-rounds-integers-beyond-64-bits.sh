#!/usr/bin/env bash
# orjson reads an integer of more than 64 bits as a rounded float, and refuses to write the same integer.
#
# Guess: it is strict about 64 bits in both directions: dumps says that the integer is too large, and loads does too, or gives it exactly.
# Seen: loads of 2^64 and of anything larger gives a float without an error, also for 30 digits, while 1e400 is an error to it. So do
#   DuckDB's read_json and pyarrow's reader, and one such number makes their whole column a double, so that 2^53 + 1 in another row is
#   rounded as well. The json module, ujson and polars give all digits; in polars the column has 128 bits.
# For an importer: identifiers of 20 digits and more (hashes, ledger numbers) change without a word, and so do their neighbours. Check
#   that an integer literal came back as an integer, or take numbers as text.
# Versions: orjson 3.13.0, ujson 6.1.0, polars 2.1.0, duckdb 2.0.1, pyarrow 26.0.1, json of Python 3.11.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib orjson==3.13.0 ujson==6.1.0 polars==2.1.0 duckdb==2.0.1 pyarrow==26.0.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import json, sys
import duckdb, orjson, polars, pyarrow.json, ujson

big, near = 2**64 + 1, 2**53 + 1
lines = '{"id":%d}\n{"id":%d}\n' % (near, big)
with open("t.json", "w") as file:
    file.write(lines)

def each(loads):
    return [loads(line)["id"] for line in lines.splitlines()]

seen = {
    "json": each(json.loads),
    "ujson": each(ujson.loads),
    "polars": polars.read_ndjson("t.json")["id"].to_list(),
    "orjson": each(orjson.loads),
    "duckdb": [row[0] for row in duckdb.sql("SELECT id FROM read_json('t.json')").fetchall()],
    "pyarrow": pyarrow.json.read_json("t.json")["id"].to_pylist(),
}
expected = {
    "json": [near, big],
    "ujson": [near, big],
    "polars": [near, big],
    "orjson": [near, float(big)],
    "duckdb": [float(near), float(big)],
    "pyarrow": [float(near), float(big)],
}
for reader, values in seen.items():
    print(f"{reader}: {values}")
refused = []
for what, call in (("writing the integer", lambda: orjson.dumps(big)), ("reading 1e400", lambda: orjson.loads("1e400"))):
    try:
        call()
    except (orjson.JSONEncodeError, orjson.JSONDecodeError):
        refused.append(what)
print("orjson refuses", refused)
as_stated = repr(seen) == repr(expected) and len(refused) == 2
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
