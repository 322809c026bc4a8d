#!/usr/bin/env bash
# zlib-ng and ISA-L compress the same bytes to other bytes when they are fed in other pieces; zlib never does.
#
# Guess: a deflate stream is a function of the input, the level and the library's version. How the input is cut into calls of compress()
#   makes no difference, since no flush lies between them.
# Seen: with zlib one call, 1,000-byte pieces and 37-byte pieces give one and the same output at levels 1, 6 and 9. zlib-ng gives
#   several at levels 1 and 6, 4 % larger in small pieces at level 6, which is the usual one; ISA-L several at level 3. All decompress
#   to the input.
# For an engine or a backup that compares, deduplicates or signs compressed blocks, and for tests with golden files: a different
#   buffer size changes the bytes. Hash what goes in, not what comes out, and feed a block whole.
# Versions: zlib-ng 1.1.0 (zlib-ng 2.3.3), isal 1.9.1, zlib of the Python that runs it.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib zlib-ng==1.1.0 isal==1.9.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import random, sys, zlib
from isal import isal_zlib
from zlib_ng import zlib_ng

random.seed(1)
words = [bytes(random.choices(b"abcdefghij", k=random.randrange(2, 9))) for _ in range(500)]
text = b" ".join(random.choices(words, k=60_000))

def sizes(library, level):
    outputs = {}
    for piece in (len(text), 1000, 37):
        stream = library.compressobj(level)
        outputs[piece] = b"".join(stream.compress(text[at : at + piece]) for at in range(0, len(text), piece)) + stream.flush()
        assert zlib.decompress(outputs[piece]) == text
    return len(set(outputs.values())), [len(output) for output in outputs.values()]

seen = {}
for name, library, levels in (("zlib", zlib, (1, 6, 9)), ("zlib-ng", zlib_ng, (1, 6)), ("isal", isal_zlib, (3,))):
    for level in levels:
        seen[name, level] = sizes(library, level)
        print(f"{name} level {level}: {seen[name, level][0]} different outputs of one input, sizes {seen[name, level][1]}")
whole, _, small = seen["zlib-ng", 6][1]
as_stated = all((different == 1) == (name == "zlib") for (name, _), (different, _) in seen.items()) and small > 1.03 * whole
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
