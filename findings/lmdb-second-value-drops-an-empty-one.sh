#!/usr/bin/env bash
# LMDB: in a database with duplicates a key's empty value vanishes when a second one is put (0.9.31), or is refused (0.9.36).
#
# Guess: an empty value is a value as any other, in databases with duplicates too, and a newer release accepts what an older one does.
# Seen: 0.9.31 takes the empty value as a key's first and lists it. The next put of another value to the key succeeds, and the empty
#   one is not listed any more, though the count of entries still has it. Put second, it is refused with MDB_BAD_VALSIZE. 0.9.36
#   refuses it first and second. Without duplicates empty values are fine in both.
# For an importer, or an index of keys with empty values: put a byte in, and compare what is listed with the count of entries, of which
#   one is wrong. A newer library refuses pairs that are in the older one's files, so a copy pair by pair may stop half-way.
# Versions: lmdb 1.6.2 (LMDB 0.9.31) and lmdb 3.0.0 (LMDB 0.9.36).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for version in 1.6.2 3.0.0; do
    python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts \
        --target "lib$version" "lmdb==$version"
done
cat >ask.py <<'PROGRAM'
import lmdb, sys

def put(transaction, value):
    try:
        return transaction.put(b"key", value)
    except lmdb.BadValsizeError:
        return "refused"

def shown(what, dupsort, *values):
    environment = lmdb.open(f"{version} {what}", max_dbs=1)
    database = environment.open_db(b"pairs", dupsort=dupsort)
    with environment.begin(write=True, db=database) as transaction:
        answers = [put(transaction, value) for value in values]
        listed = [value for _, value in transaction.cursor()]
        print(f"{version} {what}: {answers} lists {listed}, counts {transaction.stat()['entries']}")

version = ".".join(map(str, lmdb.version()))
shown("alone", True, b"")
shown("first", True, b"", b"a")
shown("second", True, b"a", b"")
shown("without duplicates", False, b"")
PROGRAM
seen=$(for version in 1.6.2 3.0.0; do PYTHONPATH="lib$version" python3 ask.py; done)
expected="0.9.31 alone: [True] lists [b''], counts 1
0.9.31 first: [True, True] lists [b'a'], counts 2
0.9.31 second: [True, 'refused'] lists [b'a'], counts 1
0.9.31 without duplicates: [True] lists [b''], counts 1
0.9.36 alone: ['refused'] lists [], counts 0
0.9.36 first: ['refused', True] lists [b'a'], counts 1
0.9.36 second: [True, 'refused'] lists [b'a'], counts 1
0.9.36 without duplicates: [True] lists [b''], counts 1"
echo "$seen"
if [ "$seen" = "$expected" ]; then echo "as stated"; else
    echo "changed"
    exit 1
fi
