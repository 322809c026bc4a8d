#!/usr/bin/env bash
# plyvel: compact_range() without bounds writes the memtable out and compacts nothing.
#
# Guess: as in LevelDB's C++ interface, where a null bound is before the first or behind the last key, a call without bounds compacts
#   the whole store and gives the space of overwritten and deleted values back.
# Seen: three generations of the same keys stay on level 0, and the store stays as large; a call with start alone does no better. A
#   stop above every key leaves one generation, with or without a start: a stop that is left out counts as the empty key, before all.
# For whoever measures or copies a LevelDB store from Python: "compacted" figures of size and speed are those of a store that was not.
#   Give a stop above every key.
# Versions: plyvel 1.5.1 (LevelDB 1.22).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib plyvel==1.5.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import plyvel, random, sys

random.seed(1)
for generation in range(3):
    with plyvel.DB("store", create_if_missing=True) as database:
        for number in range(1000):
            database.put(b"%04d" % number, random.randbytes(100))
database = plyvel.DB("store")

def tables():
    return [int(database.get_property(b"leveldb.num-files-at-level%d" % level)) for level in range(7)]

seen = [tables()]
for bounds in {}, {"start": b""}, {"stop": b"\xff" * 8}:
    database.compact_range(**bounds)
    seen.append(tables())
    print(bounds, "tables per level:", seen[-1], "size:", database.approximate_size(b"", b"\xff" * 8))
as_stated = seen[0] == seen[1] == seen[2] == [3, 0, 0, 0, 0, 0, 0] and sum(seen[3]) == 1
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
