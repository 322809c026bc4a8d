#!/usr/bin/env bash
# Galera: a node that was frozen and wakes says ready, Synced and Primary for seconds, and answers reads from before it was frozen.
#
# Guess: a node that the others have expelled finds out with its first look at the clock or at the group, and until then answers as
#   one without quorum does: "not yet prepared".
# Seen: right after the wake wsrep_ready is ON, the state Synced, the status Primary, the size the old one, and a plain SELECT gives the
#   rows of before, while the other two have acknowledged more. A read with wsrep_sync_wait = 1 stands for about six seconds, which is
#   how long this goes on, and then fails with error 1205 or gives the new rows.
# For an adapter: the variables that tell a fit node are the node's own opinion. A pool that prefers this node hands out reads in which
#   the program does not see its own acknowledged writes; a suspended virtual machine is enough. Ask with wsrep_sync_wait, or remember
#   the highest wsrep_last_committed that any node told and pass over a node that is behind it.
# Versions: MariaDB 1:10.11.19-0+deb12u1 with galera-4 26.4.23-0+deb12u1 (Debian 12), PyMySQL 1.2.4; three nodes on loopback, one
#   stopped for nine seconds. Root or any other user.
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
    local node=$1 base=$((24300 + 10 * $1))
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
start 2 --wsrep-cluster-address=gcomm://127.0.0.1:24310
PYTHONPATH=lib python3 wait.py 2 2
start 3 --wsrep-cluster-address=gcomm://127.0.0.1:24310
PYTHONPATH=lib python3 wait.py 3 3

cat >ask.py <<'PROGRAM'
import os, pymysql, signal, sys, time

def connected(node):
    return pymysql.connect(unix_socket=f"s{node}", user="root", autocommit=True, read_timeout=20).cursor()

def asked(cursor, statement):
    try:
        cursor.execute(statement)
        return tuple(cursor.fetchall())
    except pymysql.err.MySQLError as error:
        return error.args[0]

first, third, careful = connected(1), connected(3), connected(3)
asked(first, "CREATE DATABASE d")
asked(first, "CREATE TABLE d.t (id INT PRIMARY KEY)")
asked(first, "INSERT INTO d.t VALUES (1)")
asked(careful, "SET SESSION wsrep_sync_wait = 1")
while asked(third, "SELECT COUNT(*) FROM d.t") != ((1,),):
    time.sleep(0.1)
server = int(sys.argv[1])
os.kill(server, signal.SIGSTOP)
frozen = time.monotonic()
expelled = None
while time.monotonic() - frozen < 30:
    if asked(first, "SHOW STATUS LIKE 'wsrep_cluster_size'") == (("wsrep_cluster_size", "2"),):
        expelled = time.monotonic() - frozen
        break
    time.sleep(0.2)
stored = asked(first, "INSERT INTO d.t VALUES (2)") == ()
time.sleep(max(0, 9 - (time.monotonic() - frozen)))
os.kill(server, signal.SIGCONT)
woken = time.monotonic()
told = "SHOW STATUS WHERE variable_name IN ('wsrep_cluster_size', 'wsrep_cluster_status', 'wsrep_local_state_comment', 'wsrep_ready')"
status = dict(asked(third, told))
rows = asked(third, "SELECT COUNT(*) FROM d.t")
after = time.monotonic() - woken
careful_rows = asked(careful, "SELECT COUNT(*) FROM d.t")
print(f"expelled after {expelled:.1f} s, the others store: {stored}")
print(f"{after:.2f} s after the wake: {status}, rows {rows}")
print(f"with wsrep_sync_wait: {careful_rows}, {time.monotonic() - woken:.1f} s after the wake")
as_stated = (
    stored
    and status == {"wsrep_cluster_size": "3", "wsrep_cluster_status": "Primary", "wsrep_local_state_comment": "Synced", "wsrep_ready": "ON"}
    and rows == ((1,),)
    and careful_rows != ((1,),)
)
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
PYTHONPATH=lib python3 ask.py "${servers[2]}"
