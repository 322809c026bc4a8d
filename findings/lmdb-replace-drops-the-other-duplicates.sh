#!/usr/bin/env bash
# py-lmdb: in a database with duplicates replace() deletes all values of the key and returns the first; pop() deletes one.
#
# Guess: replace() exchanges one value, the one that it returns or that the cursor stands on, as pop() takes one away.
# Seen: of the values 1, 2, 3 Transaction.replace(key, 9) returns 1 and leaves 9 alone: 2 and 3 are gone and nobody was told. A cursor's
#   replace does the same when it stands on 2. pop() returns 1 and leaves 2 and 3. put(overwrite=False) of a fourth value is refused, so
#   it looks at the key and not at the pair.
# For an importer into such a database (inverted indexes, adjacency lists): to exchange one value delete the pair and put the new one. For
#   an interface over a multi-valued store: say of each operation whether it means the key or the pair.
# Versions: lmdb 3.0.0 (LMDB 0.9.36).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib lmdb==3.0.0
PYTHONPATH=lib python3 - <<'PROGRAM'
import lmdb, sys

environment = lmdb.open("store", max_dbs=1)
database = environment.open_db(b"pairs", dupsort=True)

def after(change):
    with environment.begin(write=True, db=database) as transaction:
        transaction.drop(database, delete=False)
        for value in (b"2", b"1", b"3"):
            transaction.put(b"key", value)
        answer = change(transaction)
        return answer, [value for _, value in transaction.cursor()]

def replace_at_cursor(transaction):
    cursor = transaction.cursor()
    assert cursor.set_key_dup(b"key", b"2")
    return cursor.replace(b"key", b"9")

seen = {
    "replace": after(lambda transaction: transaction.replace(b"key", b"9")),
    "replace at the cursor": after(replace_at_cursor),
    "pop": after(lambda transaction: transaction.pop(b"key")),
    "put without overwriting": after(lambda transaction: transaction.put(b"key", b"9", overwrite=False)),
}
expected = {
    "replace": (b"1", [b"9"]),
    "replace at the cursor": (b"1", [b"9"]),
    "pop": (b"1", [b"2", b"3"]),
    "put without overwriting": (False, [b"1", b"2", b"3"]),
}
for what, answer in seen.items():
    print(f"{what}: {answer}" + ("" if answer == expected[what] else f", not {expected[what]}"))
print("as stated" if seen == expected else "changed")
sys.exit(seen != expected)
PROGRAM
