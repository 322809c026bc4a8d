#!/usr/bin/env bash
# Galera: a node without quorum still answers logins, SELECT 1, SHOW TABLES and information_schema, and refuses DO 1 and ROLLBACK.
#
# Guess: a node that lost the majority refuses all but SHOW STATUS and SET, so that an answer to SELECT 1 proves a node fit for use;
#   and ROLLBACK, which changes nothing, always works.
# Seen: new logins, SELECT of constants and functions, USE, SHOW TABLES and information_schema, with the table's row, are answered. A
#   SELECT of a table, DO 1, BEGIN, COMMIT and ROLLBACK are refused with error 1047. With wsrep_dirty_reads = 1 the table is readable,
#   and even SELECT … FOR UPDATE answers rows, though its lock can protect no write.
# For an adapter: a health check by a login, by SELECT 1, or by looking for the tables passes on a node that can serve nothing;
#   wsrep_ready or a statement that opens a table tells. A pool that ends each loan with ROLLBACK must take 1047 there as the loss of
#   the connection, and "the rows are locked" from a session with dirty reads means nothing.
# Versions: MariaDB 1:10.11.19-0+deb12u1 with galera-4 26.4.23-0+deb12u1 (Debian 12), PyMySQL 1.2.4; three nodes on loopback, two
#   of them killed. Root or any other user.
set -euo pipefail
work=$(mktemp -d)
servers=()
finish() {
    for server in "${servers[@]}"; do kill -KILL "$server" 2>/dev/null || :; done
    sleep 1
    rm -rf "$work"
}
trap finish EXIT

cd "$work"
apt-get download -qq mariadb-server-core=1:10.11.19-0+deb12u1 mariadb-server=1:10.11.19-0+deb12u1 galera-4=26.4.23-0+deb12u1 \
    mariadb-client-core=1:10.11.19-0+deb12u1 libaio1=0.3.113-4 liburing2=2.3-3 rsync=3.5.0+ds1-0+deb12u1 libpopt0=1.19+dfsg-1 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib PyMySQL==1.2.4
export LD_LIBRARY_PATH="$work/root/usr/lib/x86_64-linux-gnu" PATH="$work/root/usr/bin:$work/root/usr/sbin:$PATH"

as=()  # The state transfer's rsync serves an unprivileged user alone.
if [ "$(id -u)" = 0 ]; then
    as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
    chown -R nobody "$work"
fi
start() { # NODE CLUSTER-ADDRESS…
    local node=$1 base=$((24100 + 10 * $1))
    shift
    "${as[@]}" mariadb-install-db --no-defaults --basedir="$work/root/usr" --datadir="$work/d$node" \
        --auth-root-authentication-method=normal --skip-test-db >"install$node.log" 2>&1
    "${as[@]}" mariadbd --no-defaults --basedir="$work/root/usr" --datadir="$work/d$node" --socket="$work/s$node" \
        --port=$((base + 5)) --bind-address=127.0.0.1 --pid-file="$work/pid$node" --binlog-format=ROW --innodb-autoinc-lock-mode=2 \
        --innodb-buffer-pool-size=32M --wsrep-on=ON --wsrep-provider="$work/root/usr/lib/galera/libgalera_smm.so" \
        --wsrep-cluster-name=findings --wsrep-node-address="127.0.0.1:$base" --wsrep-sst-method=rsync \
        --wsrep-sst-receive-address="127.0.0.1:$((base + 2))" \
        --wsrep-provider-options="base_port=$base;gmcast.listen_addr=tcp://127.0.0.1:$base;ist.recv_addr=127.0.0.1:$((base + 1));gcache.size=16M" \
        "$@" >"server$node.log" 2>&1 &
    servers+=($!)
    disown
}
cat >wait.py <<'PROGRAM'
import pymysql, sys, time
node, size = sys.argv[1:]
for _ in range(120):
    try:
        with pymysql.connect(unix_socket=f"s{node}", user="root") as connection:
            cursor = connection.cursor()
            cursor.execute("SHOW STATUS WHERE variable_name IN ('wsrep_cluster_size', 'wsrep_local_state_comment')")
            status = dict(cursor.fetchall())
            if status == {"wsrep_cluster_size": size, "wsrep_local_state_comment": "Synced"}:
                break
    except pymysql.err.MySQLError:
        pass
    time.sleep(0.5)
else:
    raise SystemExit(f"node {node} does not join")
PROGRAM
start 1 --wsrep-cluster-address=gcomm:// --wsrep-new-cluster
PYTHONPATH=lib python3 wait.py 1 1
start 2 --wsrep-cluster-address=gcomm://127.0.0.1:24110
PYTHONPATH=lib python3 wait.py 2 2
start 3 --wsrep-cluster-address=gcomm://127.0.0.1:24110
PYTHONPATH=lib python3 wait.py 3 3

cat >ask.py <<'PROGRAM'
import os, pymysql, signal, sys, time

def connected():
    return pymysql.connect(unix_socket="s3", user="root", autocommit=True)

def asked(cursor, statement):
    try:
        cursor.execute(statement)
        return tuple(cursor.fetchall())
    except pymysql.err.MySQLError as error:
        return error.args[0]

cursor = connected().cursor()
cursor.execute("CREATE DATABASE d")
cursor.execute("CREATE TABLE d.t (id INT PRIMARY KEY)")
cursor.execute("INSERT INTO d.t VALUES (1)")
for server in sys.argv[1:]:
    os.kill(int(server), signal.SIGKILL)
deadline = time.monotonic() + 40
while asked(cursor, "SELECT * FROM d.t") != 1047:
    if time.monotonic() > deadline:
        raise SystemExit("the node still answers")
    time.sleep(0.2)

expected = {
    "SELECT 1": ((1,),),
    "SELECT 'ok' WHERE NOW() > '2000-01-01'": (("ok",),),
    "USE d": (),
    "DO 1": 1047,
    "SHOW TABLES FROM d": (("t",),),
    "SELECT table_name, engine FROM information_schema.tables WHERE table_schema = 'd'": (("t", "InnoDB"),),
    "SHOW STATUS LIKE 'wsrep_ready'": (("wsrep_ready", "OFF"),),
    "SHOW STATUS LIKE 'wsrep_cluster_status'": (("wsrep_cluster_status", "non-Primary"),),
    "SHOW STATUS LIKE 'wsrep_connected'": (("wsrep_connected", "ON"),),
    "SET SESSION sort_buffer_size = 262144": (),
    "SELECT * FROM d.t": 1047,
    "INSERT INTO d.t VALUES (2)": 1047,
    "BEGIN": 1047,
    "COMMIT": 1047,
    "ROLLBACK": 1047,
    "SET SESSION wsrep_dirty_reads = 1": (),
    "SELECT COUNT(*) FROM d.t": ((1,),),
    "SELECT * FROM d.t FOR UPDATE": ((1,),),
    "UPDATE d.t SET id = 3": 1047,
}
cursor = connected().cursor()  # A new login passes.
differing = 0
for statement, answer in expected.items():
    seen = asked(cursor, statement)
    differing += seen != answer
    print(f"{statement}: {seen}" + ("" if seen == answer else f", not {answer}"))
print("changed" if differing else "as stated")
sys.exit(bool(differing))
PROGRAM
PYTHONPATH=lib python3 ask.py "${servers[0]}" "${servers[1]}"
