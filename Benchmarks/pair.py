#!/usr/bin/env python3
"""Measures a change against its parent: rounds of the harness that alternate between two checkouts, and medians of ratios.

  Benchmarks/pair.py PARENT CHANGE [--rounds N] -- OPTIONS OF silt-bench

PARENT and CHANGE are checkouts in which `swift build -c release --package-path Benchmarks` has been run. Each round runs
both once, and the one that was second is first in the next round. For each workload the table has the median of the rounds'
ratios (above 1, the change is faster), their lowest and highest, and the medians of both rates. A ratio says something
where all rounds lie on the same side of 1.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile


def measure(checkout, options):
    """One run of a checkout's harness: the value of each workload, and whether more is better."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "run.json"
        program = checkout / "Benchmarks/.build/release/silt-bench"
        if not program.exists():
            sys.exit(f"{program} is missing: swift build -c release --package-path {checkout}/Benchmarks")
        command = [program, "--engines", "siltstone", "--repeat", "1", *options, "--json", path]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"{checkout}: {done.stdout}")
        measurements = json.loads(path.read_text())["measurements"]
    return {m["label"]: (m["value"], m["unit"] == "operationsPerSecond") for m in measurements}


def shown(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parent", type=pathlib.Path, help="the checkout to compare with")
    parser.add_argument("change", type=pathlib.Path, help="the checkout of the change")
    parser.add_argument("--rounds", type=int, default=5, help="5 unless told")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments, options = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1:]
    pairs = []
    for number in range(arguments.rounds):
        if number % 2 == 0:
            before, after = measure(arguments.parent, options), measure(arguments.change, options)
        else:
            after, before = measure(arguments.change, options), measure(arguments.parent, options)
        pairs.append((before, after))
        print(f"round {number + 1} of {arguments.rounds} is done", file=sys.stderr)
    print(f"{'workload':32} {'ratio':>7} {'lowest':>7} {'highest':>7} {'parent':>12} {'change':>12}")
    for label, (_, is_rate) in pairs[0][0].items():
        before = [parent[label][0] for parent, _ in pairs]
        after = [change[label][0] for _, change in pairs]
        ratios = [b / a if is_rate else a / b for a, b in zip(before, after)]
        middle = statistics.median
        print(
            f"{label:32} {middle(ratios):7.3f} {min(ratios):7.3f} {max(ratios):7.3f} "
            f"{shown(middle(before)):>12} {shown(middle(after)):>12}")


if __name__ == "__main__":
    main()
