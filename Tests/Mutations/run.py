#!/usr/bin/env python3
"""Puts faults into the engine and into tables, one at a time, and counts how many of them the tests notice.

  Tests/Mutations/run.py                  all of them
  Tests/Mutations/run.py tail-not-cut …   some
  Tests/Mutations/run.py --list           what there is
  Tests/Mutations/run.py --together …     in one build, in which an environment variable turns one on
  Tests/Mutations/run.py --check          whether each can still be made: the text that it replaces is there, once
  Tests/Mutations/run.py --json FILE      the outcome for scripts, too
  Tests/Mutations/run.py --page …         the outcome in the table of Docs/Testing/Mutations.md, too
  Tests/Mutations/run.py --list --page    only bring the names in that table up to date

The faults are made in a copy of the working tree (--scratch, kept for the next run as its build is), never in the tree
itself. For each one the suites are run in turn until one fails: the first in its quick form, then all in their thorough
form. A fault takes half a minute to five minutes, most of it to build. With --together, all faults are built once, and a
fault takes seconds; one whose copy of a function does not compile is built alone. Exit code: 0 if every fault was noticed,
1 if not, 2 if one could not be made.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import switched
from mutations import MUTATIONS as ENGINE_MUTATIONS
from table_mutations import TABLE_MUTATIONS

MUTATIONS = ENGINE_MUTATIONS + TABLE_MUTATIONS
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Docs/Testing/Mutations.md"
# What is tried behind a fault's own first suite, in the order of how much it notices for its time; the last is everything.
SUITES = ["BadBytesTests|DamageTests|FailedSyncTests", "CrashPointTests", "FaultSweepTests|FaultTests", "."]
# For faults of tables.
TABLE_SUITES = ["SiltstoneTablesTests|TableKitTests", "."]


def command(arguments, directory, timeout=1800, thorough=True, fault=None):
    environment = os.environ | {"SILTSTONE_THOROUGH": "1" if thorough else "0"}
    if fault is not None:
        environment[switched.VARIABLE] = str(fault)
    # A session of its own, so that a time-out ends the tests, too, and not only the command that has started them.
    process = subprocess.Popen(
        arguments, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env=environment, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return 124, output + f"\nno end within {timeout} seconds"


def copy_tree(scratch):
    """Brings the copy up to date; files that are the same keep their times, and so their builds."""
    scratch.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, text=True,
        stdout=subprocess.PIPE).stdout.split("\n")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for name in wanted:
        source, target = ROOT / name, scratch / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    for folder in ["Sources", "Tests"]:
        for path in (scratch / folder).rglob("*"):
            if path.is_file() and str(path.relative_to(scratch)) not in wanted:
                path.unlink()


def first_failure(output):
    """The name of the test that failed first, and what it said."""
    for line in output.splitlines():
        # An expectation on a thread of its own belongs to no test that is known.
        found = re.search(r"✘ Test (?:case passing .* to )?(\"[^\"]*\"|\S+\(\)|«unknown».*)", line)
        if found and "recorded an issue" in line:
            return found.group(1).strip('"')
    for line in output.splitlines():
        if "Fatal error" in line or "signal code" in line:
            return line.strip()[:160]
    return "no end" if "no end within" in output else "the run failed"


def unmakeable():
    """The faults whose text is not in the source, or is there more than once, or whose name is taken."""
    names = [mutation.name for mutation in MUTATIONS]
    for mutation in MUTATIONS:
        count = (ROOT / "Sources" / mutation.module / mutation.file).read_text().count(mutation.old)
        if count != 1:
            yield f"{mutation.name}: the text to replace occurs {count} times in {mutation.file}"
        if names.count(mutation.name) != 1 or mutation.old == mutation.new:
            yield f"{mutation.name}: its name is taken, or it changes nothing"


def write_page(outcomes):
    """Writes the table of the page anew. Faults that were not run keep what stands there."""
    lines = PAGE.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("| fault |")) + 2
    last = next((number for number in range(first, len(lines)) if not lines[number].startswith("|")), len(lines))
    rows = (re.fullmatch(r"\| `(.*?)` \| .* \| (.*?) \|", line) for line in lines[first:last])
    noticed = {row.group(1): row.group(2) for row in rows if row}
    for outcome in outcomes:
        suites = outcome["suite"].split("|")
        if outcome["outcome"] != "noticed":
            noticed[outcome["name"]] = f"**{outcome['outcome']}**"
        elif suites == ["."]:
            noticed[outcome["name"]] = f"all suites: {outcome['detail'].replace('|', ' ')}"
        else:
            noticed[outcome["name"]] = ", ".join(f"`{suite}`" for suite in suites)
    table = [f"| `{m.name}` | {m.what} | {noticed.get(m.name, 'not run yet')} |" for m in MUTATIONS]
    PAGE.write_text("\n".join(lines[:first] + table + lines[last:]) + "\n")


def all_pass(chosen, scratch):
    """Whether the first suites of faults pass without any: else that they fail with one would say nothing."""
    for suite in sorted({mutation.first for mutation in chosen}):
        if command(["swift", "test", "--skip-build", "--filter", suite], scratch, thorough=False)[0] != 0:
            print(f"{suite} fails without any fault")
            return False
    return True


def attempt(mutation, scratch):
    """Returns the outcome (noticed, missed or broken), which suite, and which test."""
    path = scratch / "Sources" / mutation.module / mutation.file
    original = path.read_text()
    if original.count(mutation.old) != 1:
        return "broken", "", f"the text to replace occurs {original.count(mutation.old)} times in {mutation.file}"
    path.write_text(original.replace(mutation.old, mutation.new))
    try:
        code, output = command(["swift", "build", "--build-tests"], scratch)
        if code != 0:
            errors = [line for line in output.splitlines() if "error:" in line]
            return "broken", "", errors[0] if errors else "does not build"
        return test(mutation, scratch)
    finally:
        path.write_text(original)


def test(mutation, scratch, fault=None):
    """Runs the suites of a fault that is built."""
    suites = SUITES if mutation.module == "Siltstone" else TABLE_SUITES
    # Some faults are met only by as many tries as the thorough form makes.
    thorough = [mutation.first] + [suite for suite in suites if suite != mutation.first]
    for suite, is_thorough in [(mutation.first, False)] + [(suite, True) for suite in thorough]:
        code, output = command(
            ["swift", "test", "--skip-build", "--filter", suite], scratch, thorough=is_thorough, fault=fault)
        if code != 0:
            return "noticed", suite, first_failure(output)
    return "missed", "", ""


def build_together(chosen, scratch):
    """Builds all faults at once. Returns those that must be built alone, by number; None if nothing can be built."""
    files = {}
    for number, mutation in enumerate(chosen):
        files.setdefault(scratch / "Sources" / mutation.module / mutation.file, []).append((number, mutation))
    files = {path: switched.SwitchedFile(path.read_text(), faults) for path, faults in files.items()}
    for module in {mutation.module for mutation in chosen}:
        (scratch / "Sources" / module / switched.SWITCH_FILE).write_text(switched.SWITCH)
    while True:
        places = {}
        for path, file in files.items():
            text, places[str(path)] = file.rendered()
            if path.read_text() != text:
                path.write_text(text)
        code, output = command(["swift", "build", "--build-tests"], scratch)
        if code == 0:
            return {number for file in files.values() for number, _ in file.outside}
        failed = set()
        for path, line in re.findall(r"^(/\S+?):(\d+):\d+: error:", output, re.M):
            found = (numbers for first, last, numbers in places.get(path, []) if first <= int(line) <= last)
            failed |= next(found, set())
        if not failed:
            print("\n".join(line for line in output.splitlines() if "error:" in line))
            return None
        print(f"built alone: {', '.join(chosen[number].name for number in failed)}", flush=True)
        for file in files.values():
            file.drop(failed)


def attempts_together(chosen, scratch):
    """The outcome of each fault, from one build as far as that is possible; None if nothing can be built."""
    together = scratch / "together"
    copy_tree(together)
    alone = build_together(chosen, together)
    if alone is None:
        return None
    print(f"{len(chosen) - len(alone)} faults are in one build", flush=True)
    if not all_pass(chosen, together):
        return None
    if alone:
        copy_tree(scratch)
    return (
        (mutation, attempt(mutation, scratch) if number in alone else test(mutation, together, fault=number))
        for number, mutation in enumerate(chosen))


def attempts_alone(chosen, scratch):
    """The outcome of each fault, each from a build of its own; None if nothing can be built."""
    copy_tree(scratch)
    print("building the tests, and running the suites, without a fault", flush=True)
    code, output = command(["swift", "build", "--build-tests"], scratch)
    if code != 0:
        print(output[-4000:])
        return None
    if not all_pass(chosen, scratch):
        return None
    return ((mutation, attempt(mutation, scratch)) for mutation in chosen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="faults to make; all where none is named")
    parser.add_argument("--together", action="store_true", help="build all faults at once")
    parser.add_argument("--list", action="store_true", help="print the faults and end")
    parser.add_argument("--check", action="store_true", help="see whether all faults can still be made, and end")
    parser.add_argument("--json", metavar="FILE", help="write the outcome to a file")
    parser.add_argument("--page", action="store_true", help=f"write the outcome to {PAGE.relative_to(ROOT)}")
    parser.add_argument(
        "--scratch", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "siltstone-mutations",
        help="where the copy is kept (default: %(default)s)")
    options = parser.parse_args()
    if options.list:
        for mutation in MUTATIONS:
            print(f"{mutation.name:28} {mutation.what}")
        if options.page:
            write_page([])
        return 0
    if options.check:
        problems = list(unmakeable())
        print("\n".join(problems) or f"{len(MUTATIONS)} faults can be made")
        return 2 if problems else 0
    unknown = set(options.names) - {mutation.name for mutation in MUTATIONS}
    if unknown:
        parser.error(f"no such fault: {', '.join(sorted(unknown))}; --list prints them")
    chosen = [mutation for mutation in MUTATIONS if not options.names or mutation.name in options.names]
    attempts = (attempts_together if options.together else attempts_alone)(chosen, options.scratch)
    if attempts is None:
        return 2
    outcomes = []
    start = time.monotonic()
    for number, (mutation, (outcome, suite, detail)) in enumerate(attempts, 1):
        seconds, start = round(time.monotonic() - start), time.monotonic()
        outcomes.append({**mutation._asdict(), "outcome": outcome, "suite": suite, "detail": detail, "seconds": seconds})
        print(f"{number:2}/{len(chosen)} {outcome:8} {mutation.name:28} {seconds:4} s  {suite}: {detail}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(outcomes, indent=2) + "\n")
    if options.page:
        write_page(outcomes)
    counts = {kind: sum(o["outcome"] == kind for o in outcomes) for kind in ["noticed", "missed", "broken"]}
    print(f"{counts['noticed']} of {len(outcomes)} faults noticed, {counts['missed']} missed, {counts['broken']} not made")
    return 2 if counts["broken"] else 1 if counts["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
