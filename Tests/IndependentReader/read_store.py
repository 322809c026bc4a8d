#!/usr/bin/env python3
"""Lists every live record of a Siltstone store, as JSON lines in key order.

    read_store.py DIRECTORY > records.jsonl

Each line is {"key_base64": …, "value_base64": …}. Written from Docs/Format.md alone, with the standard library of
Python 3 alone: a second opinion on what the bytes mean, and the proof that the page is enough to write a reader.
Nothing is written, nothing is locked: the store must not be open elsewhere. Every checksum that the format has is
checked on the way. Ends with 4 where the store is damaged.
"""

import base64
import json
import sys

from bytes_and_files import Damaged, StoreFile, check
from contents import Contents
from logs import read_logs
from manifest import State, read_current
from segments import read_segments
from values import Pointer, Values


def records(directory):
    """Keys and values of a store, in key order."""
    manifest = StoreFile(directory, "manifest", read_current(directory))
    state = State(manifest)
    values = Values(directory, state.values, state.identity)
    contents = Contents()
    read_segments(directory, state, contents)
    read_logs(directory, state, values, contents)
    for key, value in contents.live():
        if isinstance(value, Pointer):
            pointer, value = value, values.read(value, key)
            check(value is not None, directory, 0,
                  f"the value of {key!r} is not at offset {pointer.offset} of value file {pointer.file}")
        yield key, value


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        for key, value in records(sys.argv[1]):
            print(json.dumps({
                "key_base64": base64.b64encode(key).decode(), "value_base64": base64.b64encode(value).decode()}))
    except Damaged as damage:
        print(damage, file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
