#!/usr/bin/env bash
# Berkeley DB: db_verify calls a hash file sound that lacks its last pages, and db_dump lists the rest with success.
#
# Guess: the first page says how many pages the file has, so a copy that ended early is found by db_verify for every access method,
#   and db_dump ends with an error.
# Seen: for a B-tree it is so. For a hash file cut by one, two or eight of its ten pages db_verify succeeds, and db_dump writes 1,751,
#   1,502 and 253 of 2,000 records with a header, an end mark and exit status 0: pages behind the end of the file count as buckets that
#   were never written. A cut within a page is refused.
# For an importer from such files (mail maps, SASL and package databases were kept in them): neither tool proves that a copy is whole;
#   compare its size with the page count of db_stat -d, which still says ten. For a format: "not written yet" and "lost" need to look
#   different, by a count that recovery checks or by a page at the end.
# Versions: db5.3-util and libdb5.3 5.3.28+dfsg2-1 (Debian 12).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
chmod 755 .
apt-get download -qq db5.3-util=5.3.28+dfsg2-1 libdb5.3=5.3.28+dfsg2-1 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH="$work/root/usr/lib/x86_64-linux-gnu" PATH="$work/root/usr/bin:$PATH"

records() { seq 2000 | sed 's/.*/k&\nv&/'; }
dumped() { db5.3_dump -p "$1" 2>/dev/null | sed '1,/^HEADER=END$/d' | grep -c '^ k' || :; }
seen=
for kind in btree hash; do
    records | db5.3_load -T -t "$kind" "$kind.db"
    size=$(stat -c %s "$kind.db")
    for pages in 0 1 2 8; do
        head -c $((size - 4096 * pages)) "$kind.db" >cut.db
        if db5.3_verify cut.db >/dev/null 2>&1; then verdict=sound; else verdict=damaged; fi
        [ "$kind" = btree ] || verdict+=", dump of $(dumped cut.db)"
        if [ $pages = 2 ]; then cp cut.db short.db; fi
        seen+="$kind less $pages pages: $verdict"$'\n'
    done
done
counted=$(db5.3_stat -d short.db | awk '/Number of pages in the database/ { print $1 }')
seen+="pages by db_stat $counted, in the file $(($(stat -c %s short.db) / 4096))"
expected="btree less 0 pages: sound
btree less 1 pages: damaged
btree less 2 pages: damaged
btree less 8 pages: damaged
hash less 0 pages: sound, dump of 2000
hash less 1 pages: sound, dump of 1751
hash less 2 pages: sound, dump of 1502
hash less 8 pages: sound, dump of 253
pages by db_stat 10, in the file 8"
echo "$seen"
db5.3_dump short.db >/dev/null || { echo "changed: the dump fails" && exit 1; }
if [ "$seen" = "$expected" ]; then echo "as stated"; else
    echo "changed"
    exit 1
fi
