#!/usr/bin/env bash
# RocksDB opens a LevelDB directory without being asked to, and LevelDB cannot open it any more afterwards.
#
# Guess: both have long had formats of their own, so RocksDB refuses a foreign directory, above all when it is told not to create one.
# Seen: it opens the directory with create_if_missing off, reads LevelDB's tables and log, with the right answer for overwritten and
#   deleted keys, and only by being opened and closed, without a write, it replaces MANIFEST and log with its own. LevelDB then says
#   "VersionEdit: unknown tag" and opens nothing. LevelDB's table files stay as they are, named *.ldb.
# For a storage engine: a directory that opens is no proof of the right engine, and "opened for a look" is not free of writing. A format
#   needs a name and a version of its own in the first file that is read, and a migration from LevelDB begins with a copy.
# Versions: plyvel 1.5.1 (LevelDB 1.22), rocksdict 0.3.29 (RocksDB 9.8.4).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib plyvel==1.5.1 rocksdict==0.3.29
PYTHONPATH=lib python3 - <<'PROGRAM'
import os, plyvel, rocksdict, sys

database = plyvel.DB("store", create_if_missing=True)
for number in range(2000):
    database.put(b"k%05d" % number, b"v%d" % number)
database.close()
database = plyvel.DB("store")  # What was in the log is in a table now.
database.put(b"k00007", b"new")
database.delete(b"k00008")
database.close()
tables = sorted(name for name in os.listdir("store") if name.endswith(".ldb"))

options = rocksdict.Options(raw_mode=True)
options.create_if_missing(False)
rocks = rocksdict.Rdict("store", options)
seen = [rocks.get(b"k00007"), rocks.get(b"k00008"), rocks.get(b"k00009"), sum(1 for _ in rocks.keys())]
rocks.close()
print("RocksDB reads", seen)
try:
    plyvel.DB("store").close()
    refusal = "nothing"
except plyvel.CorruptionError as error:
    refusal = str(error)
print("LevelDB says", refusal)
kept = set(tables) <= set(os.listdir("store"))
as_stated = tables and kept and seen == [b"new", None, b"v9", 1999] and "VersionEdit: unknown tag" in refusal
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
