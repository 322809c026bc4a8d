#!/usr/bin/env bash
# zstd: with a dictionary of raw content, a wrong dictionary gives wrong bytes of the right length and no error.
#
# Guess: frames name the dictionary that they need, so that the wrong one is refused, as it is with a trained dictionary.
# Seen: a dictionary of raw content has no number; the frame says 0, which also means "none". Another dictionary of the same kind is
#   taken, and the matches are copied out of the wrong text. The binding zstandard writes no checksum of the content unless it is asked
#   to, other than the program zstd, so nothing notices. Without any dictionary it is an error, and with write_checksum too.
# For a storage engine that compresses values with a sample of others as the dictionary: keep the dictionary's own checksum or number
#   beside the block, and a checksum over the uncompressed bytes or over dictionary and block together. A checksum over the compressed
#   block alone passes.
# Versions: zstandard 0.25.0 (libzstd 1.5.7).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib zstandard==0.25.0
PYTHONPATH=lib python3 - <<'PROGRAM'
import random, sys, zstandard

def raw(text):
    return zstandard.ZstdCompressionDict(text * 20, dict_type=zstandard.DICT_TYPE_RAWCONTENT)

def read(frame, dictionary=None):
    try:
        return zstandard.ZstdDecompressor(dict_data=dictionary).decompress(frame)
    except zstandard.ZstdError as error:
        return "refused"

right = raw(b"name=harbour;depth=12;tide=high;wind=north-west;buoys=40;")
wrong = raw(b"colour=grey;weight=77;label=stone;origin=quarry;pieces=9;")
value = b"name=harbour;depth=12;tide=high;wind=north-west;buoys=41;"
frame = zstandard.ZstdCompressor(dict_data=right).compress(value)
checked = zstandard.ZstdCompressor(dict_data=right, write_checksum=True).compress(value)

random.seed(3)
samples = [b"name=%d;depth=%d;tide=%d" % tuple(random.randrange(10**6) for _ in range(3)) for _ in range(2000)]
one, two = (zstandard.train_dictionary(2000, samples[start::2], dict_id=1 + start) for start in (0, 1))
trained = zstandard.ZstdCompressor(dict_data=one).compress(value)

seen = {
    "dictionary's number in the frame": zstandard.get_frame_parameters(frame).dict_id,
    "has a checksum": zstandard.get_frame_parameters(frame).has_checksum,
    "right dictionary": read(frame, right) == value,
    "no dictionary": read(frame),
    "checksum, wrong dictionary": read(checked, wrong),
    "trained, wrong dictionary": read(trained, two),
}
garbled = read(frame, wrong)
print(f"wrong dictionary: {garbled}")
for what, answer in seen.items():
    print(f"{what}: {answer}")
expected = {
    "dictionary's number in the frame": 0,
    "has a checksum": False,
    "right dictionary": True,
    "no dictionary": "refused",
    "checksum, wrong dictionary": "refused",
    "trained, wrong dictionary": "refused",
}
as_stated = seen == expected and garbled != "refused" and garbled != value and len(garbled) == len(value)
print("as stated" if as_stated else "changed")
sys.exit(not as_stated)
PROGRAM
