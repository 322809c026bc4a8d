#!/usr/bin/env bash
# semidbm: a file whose last record was cut short opens without a word, and the first write after that makes it unreadable.
#
# Guess: an append-only store that survives a torn last record drops it and writes the next one in its place, or refuses to open.
# Seen: the store opens, for reading and for writing, with all records but the last. A write goes behind the torn bytes, close() and the
#   process end well, and the next open raises DBMLoadError: all records are gone for the reader, those from before the cut as well.
# For an append-only engine: to skip a torn tail while reading is half of the recovery; the other half is to cut it off (and sync) before
#   anything is appended. A test of recovery has to write once and open a second time.
# Versions: semidbm 0.5.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib semidbm==0.5.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import os, sys, semidbm

store = semidbm.open("store", "c")
for number in range(20):
    store[b"key%02d" % number] = b"value" * 10
store.close()
path = os.path.join("store", "data")
os.truncate(path, os.path.getsize(path) - 20)

store = semidbm.open("store", "c")
survivors = len(store.keys())
store[b"later"] = b"value"
stored = store[b"later"]
store.close()
try:
    outcome = f"{len(semidbm.open('store', 'r').keys())} records"
except semidbm.DBMLoadError:
    outcome = "DBMLoadError"
print(f"after the cut {survivors} of 20 records, a new one is stored as {stored}, opened again: {outcome}")
as_stated = (survivors, stored, outcome) == (19, b"value", "DBMLoadError")
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
