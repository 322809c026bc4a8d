#!/usr/bin/env bash
# cbor2: canonical=True sorts a map's keys by length first, so its bytes differ from the deterministic encoding of RFC 8949.
#
# Guess: "canonical" in a library of 2026 is the core deterministic encoding of RFC 8949, with keys in the order of their encoded bytes.
# Seen: it is the canonical form of RFC 7049, with shorter keys first: -1 and False come before 100, where the newer order has them behind
#   all unsigned integers and strings. For keys of one type the two orders agree, so most tests pass. Floats are shortened, as both ask.
# For an engine that hashes or compares encoded maps, or takes them as keys: two parties that both say "canonical CBOR" get different
#   bytes of one map as soon as keys of two types, or negative and larger positive ones (as in COSE's labels), meet in it.
# Versions: cbor2 6.3.0.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib cbor2==6.3.0
PYTHONPATH=lib python3 - <<'PROGRAM'
import cbor2, sys

def order(keys):
    return list(cbor2.loads(cbor2.dumps(dict.fromkeys(keys, 0), canonical=True)))

keys = [100, "z", False, 10, "aa", -1]
by_bytes = sorted(keys, key=cbor2.dumps)
by_length = sorted(keys, key=lambda key: (len(cbor2.dumps(key)), cbor2.dumps(key)))
mixed, labels, texts = order(keys), order([-1, 1, 300]), order(["b", "aa", "a", "ccc"])
print("RFC 8949", by_bytes)
print("RFC 7049", by_length)
print("cbor2   ", mixed, labels, texts)
as_stated = repr(mixed) == repr(by_length) != repr(by_bytes) and labels == [1, -1, 300] and texts == ["a", "b", "aa", "ccc"]
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
