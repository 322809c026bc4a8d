#!/usr/bin/env bash
# LevelDB: after RepairDB of an undamaged store get() answers overwritten and deleted values, while an iterator does not.
#
# Guess: each entry carries a sequence number, so a repair that finds every table keeps the newest of each key, and get() and an
#   iterator agree. To repair a sound store is wasteful and no more.
# Seen: the repair puts all tables on level 0. There get() asks the tables by falling file number and takes the first that has the
#   key. A compaction's output has a high number and old entries, so it hides a younger entry in a table with a lower number: the old
#   value is back, and so is the deleted key. The iterator merges by sequence number and shows the right state. A compaction of the
#   range ends it, in favour of the right one.
# For a storage engine: file numbers order tables of one level only as long as each was written from the memtable. Whoever rebuilds
#   a manifest has to order tables by the sequence numbers in them. Export a store that was repaired by an iterator, not by get().
# Versions: plyvel 1.5.1 (LevelDB 1.22).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib plyvel==1.5.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import plyvel, sys

def flush():
    database.compact_range(start=b"zz", stop=b"zzz")  # Writes the memtable out, and finds no table in the range.

def state():
    return database.get(b"changed"), database.get(b"deleted"), dict(database)

database = plyvel.DB("store", create_if_missing=True)
database.put(b"y", b"1")
flush()  # goes to level 2
for key in b"changed", b"deleted", b"z":
    database.put(key, b"old")
flush()  # goes to level 1
database.put(b"changed", b"new")
database.delete(b"deleted")
flush()  # stays on level 0
database.compact_range(start=b"x", stop=b"z")  # Levels 1 and 2 become one table with the highest number.
before = state()
database.close()

plyvel.repair_db("store")
database = plyvel.DB("store")
after = state()
database.compact_range(start=b"a", stop=b"zz")
compacted = state()
database.close()

right = {b"changed": b"new", b"y": b"1", b"z": b"old"}
print("before the repair  ", before)
print("after the repair   ", after)
print("after a compaction ", compacted)
as_stated = before == compacted == (b"new", None, right) and after == (b"old", b"old", right)
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
