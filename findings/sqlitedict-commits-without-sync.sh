#!/usr/bin/env bash
# sqlitedict: commit() and autocommit ask nothing of the disk, since it turns synchronous off.
#
# Guess: a dict in a SQLite file is as durable as SQLite is by default: a commit returns when the rows are on the disk, and if not, the
#   file is at least consistent after a power cut because of the journal.
# Seen: PRAGMA synchronous is 0 (OFF) in its connection, in journal modes DELETE and WAL alike, for autocommit, commit() and
#   commit(blocking=True). The interface has no argument for it. In the journal mode DELETE a power cut can then damage the file
#   itself. diskcache, the other dict over SQLite, sets 1 (NORMAL), sqlite-utils keeps 2 (FULL).
# For whoever compares a storage engine with it, or moves data from it: its figures of writes a second are those of memory. A "commit"
#   of a library says what its pragmas say, so read them from the open connection.
# Versions: sqlitedict 2.1.0, diskcache 5.6.3, sqlite-utils 4.2.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib sqlitedict==2.1.0 diskcache==5.6.3 sqlite-utils==4.2.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import inspect, sys
import diskcache, sqlite_utils, sqlitedict

seen = {}
for mode in "DELETE", "WAL":
    for autocommit in False, True:
        with sqlitedict.SqliteDict(f"{mode}{autocommit}.db", journal_mode=mode, autocommit=autocommit) as table:
            table["key"] = "value"
            table.commit(blocking=True)
            seen["sqlitedict", mode, autocommit] = table.conn.select_one("PRAGMA synchronous")[0]
seen["diskcache"] = diskcache.Cache("cache")._sql("PRAGMA synchronous").fetchone()[0]
seen["sqlite-utils"] = sqlite_utils.Database("plain.db").execute("PRAGMA synchronous").fetchone()[0]
for what, value in seen.items():
    print(f"{what}: synchronous {value}")
arguments = list(inspect.signature(sqlitedict.SqliteDict.__init__).parameters)
print("arguments of SqliteDict", arguments)
as_stated = list(seen.values()) == [0, 0, 0, 0, 1, 2] and not any("sync" in name for name in arguments)
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
