#!/usr/bin/env bash
# Tkrzw: under the comparator "dec" the keys 1, 01, 1.0 and 1x are one record, and so are 0, -0 and abc; 2^63 sorts first.
#
# Guess: a comparator decides the order of keys. Keys of other bytes stay other records, with ties broken by the bytes, as they are
#   in Tokyo Cabinet, the same author's earlier library; and numbers too long for 64 bits sort last.
# Seen: keys that the comparator calls equal are one record, which keeps the first key's spelling and the last value; "lexcase" makes
#   A and a one. The number is read up to the first other character, without regard to the overflow: 9223372036854775808 comes before
#   all, and 99999999999999999999 among the others. Tokyo Cabinet's "decimal" keeps all of 1, 01, 1.0 and 1x apart, and wraps too.
# For an importer from such files: a key that is put is not always the key that is listed, and a count of distinct keys falls without an
#   error. For an engine with custom comparators: say whether equal means identical, and break ties by the bytes if it does not.
# Versions: tkrzw-utils 1.0.25-1, tokyocabinet-bin 1.4.48-15 (Debian 12).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
chmod 755 .
apt-get download -qq tkrzw-utils=1.0.25-1 libtkrzw1=1.0.25-1 tokyocabinet-bin=1.4.48-15 libtokyocabinet9=1.4.48-15 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH="$work/root/usr/lib/x86_64-linux-gnu" PATH="$work/root/usr/bin:$PATH"

put() { # TOOL-AND-COMMAND… -- KEY…: each key's value is the key
    local command=()
    while [ "$1" != -- ]; do command+=("$1") && shift; done
    shift
    for key in "$@"; do "${command[@]}" "$key" "$key" >/dev/null; done
}
tkrzw_dbm_util create --comparator dec numbers.tkt >/dev/null
put tkrzw_dbm_util set numbers.tkt -- 1 01 1.0 1x 0 abc 9223372036854775807 9223372036854775808 99999999999999999999
tkrzw_dbm_util create --comparator lexcase names.tkt >/dev/null
put tkrzw_dbm_util set names.tkt -- B a A b
tcbmgr create -cd numbers.tcb
put tcbmgr put -cd numbers.tcb -- 1 01 1.0 1x 88888888888888888888888

shown() { tr '\t\n' '= ' | sed 's/ $//'; }
seen="tkrzw dec: $(tkrzw_dbm_util list numbers.tkt | shown)
tkrzw lexcase: $(tkrzw_dbm_util list names.tkt | shown)
tokyo decimal: $(tcbmgr list numbers.tcb | shown)"
expected="tkrzw dec: 9223372036854775808=9223372036854775808 0=abc 1=1x 99999999999999999999=99999999999999999999 9223372036854775807=9223372036854775807
tkrzw lexcase: a=A B=b
tokyo decimal: 88888888888888888888888 01 1 1.0 1x"
echo "$seen"
if [ "$seen" = "$expected" ]; then echo "as stated"; else
    echo "changed"
    exit 1
fi
