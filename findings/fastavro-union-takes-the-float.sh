#!/usr/bin/env bash
# fastavro: an integer in a union is written as the first branch that accepts it, so ["null", "float", "long"] rounds integers.
#
# Guess: a Python int goes to the branch "long" or "int" wherever it stands in the union, and "float" is for floats.
# Seen: float and double accept ints, and the first branch that accepts wins. 16777217 comes back as 16777216.0 with "float" before
#   "long", and 2^53 + 1 loses its last bit with "double" before it, or with ["int", "float"], where it is too large for "int". There is
#   no error and no warning. A bool is accepted by neither. With the integer branch first all is exact.
# For an exporter: the order of a union's branches, which the schema's author chose for readers, decides what is kept. Name the branch
#   with the value (fastavro takes a tuple of the branch's name and the value), or check that what comes back is equal.
# Versions: fastavro 1.13.1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-compile --no-warn-conflicts --target lib fastavro==1.13.1
PYTHONPATH=lib python3 - <<'PROGRAM'
import fastavro, io, sys

def round_trip(branches, value):
    schema = fastavro.parse_schema({"type": "record", "name": "r", "fields": [{"name": "v", "type": branches}]})
    file = io.BytesIO()
    try:
        fastavro.writer(file, schema, [{"v": value}])
    except ValueError:
        return "refused"
    file.seek(0)
    return next(fastavro.reader(file))["v"]

expected = [
    (["null", "float", "long"], 16777217, 16777216.0),
    (["float", "int"], 16777217, 16777216.0),
    (["double", "long"], 2**53 + 1, 2.0**53),
    (["int", "float"], 2**53 + 1, 2.0**53),
    (["null", "long", "float"], 16777217, 16777217),
    (["null", "float", "long"], ("long", 16777217), 16777217),
    (["float", "long"], True, "refused"),
]
differing = 0
for branches, value, answer in expected:
    seen = round_trip(branches, value)
    same = seen == answer and type(seen) is type(answer)
    differing += not same
    print(f"{branches}: {value!r} comes back as {seen!r}" + ("" if same else f", not {answer!r}"))
print("changed" if differing else "as stated")
sys.exit(bool(differing))
PROGRAM
