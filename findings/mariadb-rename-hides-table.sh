#!/usr/bin/env bash
# MariaDB: a table that another session renames is missing from information_schema under both of its names.
#
# Guess: a rename holds the table's metadata lock, so whoever reads information_schema finds the table under the old name or under
#   the new one, whole, and which columns the SELECT names is of no matter.
# Seen: the columns decide. A SELECT of table_name alone reads the directory and always finds the table. One that also names the
#   engine opens each table, and leaves out the one that vanished between listing and opening: no row, no error, no warning, in
#   about half of the readings while renames run without a pause. information_schema.statistics and columns do the same, so that a
#   table that is listed seems to have no key and no column.
# For an adapter or importer: "no row" does not mean "no table" while others alter tables. Ask for the name alone first, and read
#   again when a table that is listed shows no columns or no key.
# Versions: MariaDB 1:10.11.19-0+deb12u1 (Debian 12), PyMySQL 1.2.4. Root or any other user; needs no running server.
set -euo pipefail
work=$(mktemp -d)
server=
finish() { [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || :; rm -rf "$work"; }
trap finish EXIT

cd "$work"
chmod 755 .
apt-get download -qq mariadb-server-core=1:10.11.19-0+deb12u1 mariadb-client-core=1:10.11.19-0+deb12u1 \
    mariadb-server=1:10.11.19-0+deb12u1 libaio1=0.3.113-4 liburing2=2.3-3 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib PyMySQL==1.2.4
export LD_LIBRARY_PATH="$work/root/usr/lib/x86_64-linux-gnu" PATH="$work/root/usr/bin:$work/root/usr/sbin:$PATH"

common=(--no-defaults --basedir="$work/root/usr" --datadir="$work/data" --user="$(id -un)")
mariadb-install-db "${common[@]}" --auth-root-authentication-method=normal --skip-test-db >install.log 2>&1
mariadbd "${common[@]}" --skip-networking --socket="$work/s" --pid-file="$work/pid" --innodb-buffer-pool-size=32M >server.log 2>&1 &
server=$!
for _ in $(seq 100); do [ -S s ] && break; sleep 0.2; done

PYTHONPATH=lib python3 - <<'PROGRAM'
import multiprocessing, pymysql, sys, time

def connected():
    for _ in range(50):
        try:
            return pymysql.connect(unix_socket="s", user="root", autocommit=True)
        except pymysql.err.OperationalError:
            time.sleep(0.2)
    raise SystemExit("the server does not answer")

def rename(rounds):
    cursor = connected().cursor()
    for _ in range(rounds):
        cursor.execute("ALTER TABLE d.here RENAME TO d.there")
        cursor.execute("ALTER TABLE d.there RENAME TO d.here")

cursor = connected().cursor()
cursor.execute("SELECT VERSION()")
version = cursor.fetchone()[0]
cursor.execute("CREATE DATABASE d")
cursor.execute("CREATE TABLE d.here (id INT PRIMARY KEY, v INT)")
renamer = multiprocessing.Process(target=rename, args=(100_000,))
renamer.start()
questions = {
    "name": "SELECT table_name FROM information_schema.tables WHERE table_schema = 'd'",
    "name and engine": "SELECT table_name, engine FROM information_schema.tables WHERE table_schema = 'd'",
    "columns": "SELECT column_name FROM information_schema.columns WHERE table_schema = 'd'",
    "keys": "SELECT index_name FROM information_schema.statistics WHERE table_schema = 'd'",
}
readings, empty = 0, dict.fromkeys(questions, 0)
warned = 0
deadline = time.monotonic() + 12
while time.monotonic() < deadline:
    readings += 1
    for name, question in questions.items():
        cursor.execute(question)
        empty[name] += not cursor.fetchall()
        cursor.execute("SHOW WARNINGS")
        warned += bool(cursor.fetchall())
alive = renamer.is_alive()
renamer.kill()
print(f"MariaDB {version}, {readings} readings while renames ran. No row: {empty}, warnings: {warned}")
others = [empty[name] for name in questions if name != "name"]
as_stated = alive and version.startswith("10.11.19") and empty["name"] == 0 and all(others) and warned == 0
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
