#!/usr/bin/env bash
# sqlite-utils: a CSV column of 1_000 becomes INTEGER and one of names such as Nan or Infinity REAL, and both hold text afterwards.
#
# Guess: an import decides types by what SQLite takes for a number, so that a column of type INTEGER or REAL holds numbers.
# Seen: the detection asks Python's int() and float(), which take underscores, nan and infinity. SQLite takes
#   none of them and stores the text in the column with the number's type. SUM then sees 1 and 0, and every text sorts behind every
#   number. A column of 007 becomes the integer 7.
# For an importer: let the same code decide and convert. A type that was detected by one parser and applied by another leaves columns
#   that are not what their schema says; whoever reads the file by its schema meets text where a number is declared.
# Versions: sqlite-utils 4.2.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib sqlite-utils==4.2.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import sqlite3, subprocess, sys

with open("t.csv", "w") as file:
    file.write("code,name,flat,limit\n1_000,Nan,007,infinity\n2_000,Inf,008,infinity\n")
subprocess.run([sys.executable, "-m", "sqlite_utils", "insert", "t.db", "t", "t.csv", "--csv"], check=True, stdout=subprocess.DEVNULL)
database = sqlite3.connect("t.db")
types = [row[2] for row in database.execute("PRAGMA table_info(t)")]
rows = database.execute('SELECT code, name, flat, "limit" FROM t').fetchall()
total = database.execute("SELECT SUM(code), MAX(code) > 1000000 FROM t").fetchone()
print("declared", types)
print("stored", rows)
print("sum and whether the largest is above a million", total)
expected = (
    ["INTEGER", "REAL", "INTEGER", "REAL"],
    [("1_000", "Nan", 7, "infinity"), ("2_000", "Inf", 8, "infinity")],
)
as_stated = (types, rows) == expected and total == (3.0, 1)
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
