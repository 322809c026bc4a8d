#!/usr/bin/env python3
"""Measures a change against its parent: rounds of the harness that alternate between two checkouts, and medians of ratios.

  Benchmarks/pair.py PARENT CHANGE [--rounds N] [--beside] -- OPTIONS OF silt-bench

PARENT and CHANGE are checkouts in which `swift build -c release --package-path Benchmarks` has been run. Each round runs
both once, and the one that was second is first in the next round. For each workload the table has the median of the rounds'
ratios (above 1, the change is faster), their lowest and highest, and the medians of both rates. A ratio says something
where all rounds lie on the same side of 1.

With --beside, both run at once, each on a processor of its own, and change processors each round. On a machine whose speed
changes within a run, both then meet the same speed. Only for workloads of one thread; rates are lower than those of a run alone.
A workload that is named several times is run as often, and the round takes the median.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile


def measure(checkout, options, processor=None):
    """One run of a checkout's harness, on any processor unless told: the value of each workload, and whether more is better."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "run.json"
        program = checkout / "Benchmarks/.build/release/silt-bench"
        if not program.exists():
            sys.exit(f"{program} is missing: swift build -c release --package-path {checkout}/Benchmarks")
        command = [program, "--engines", "siltstone", "--repeat", "1", *options, "--json", path]
        if processor is not None:
            command = ["taskset", "--cpu-list", str(processor), *command]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"{checkout}: {done.stdout}")
        measurements = json.loads(path.read_text())["measurements"]
    values = {}
    for measurement in measurements:
        # The second of a workload is NAME#2.
        label = measurement["label"].split("#")[0]
        values.setdefault(label, []).append((measurement["value"], measurement["unit"] == "operationsPerSecond"))
    return {label: (statistics.median(value for value, _ in found), found[0][1]) for label, found in values.items()}


def measure_both(checkouts, options, beside):
    """A run of each checkout, in their order: one after the other, or both at once."""
    if not beside:
        return [measure(checkout, options) for checkout in checkouts]
    processors = sorted(os.sched_getaffinity(0))[:2]
    if len(processors) < 2:
        sys.exit("--beside needs two processors")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return list(pool.map(measure, checkouts, [options] * 2, processors))


def shown(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parent", type=pathlib.Path, help="the checkout to compare with")
    parser.add_argument("change", type=pathlib.Path, help="the checkout of the change")
    parser.add_argument("--rounds", type=int, default=5, help="5 unless told")
    parser.add_argument("--beside", action="store_true", help="both at once, each on a processor of its own")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments, options = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1:]
    pairs = []
    for number in range(arguments.rounds):
        order = [arguments.parent, arguments.change]
        if number % 2 == 1:
            order.reverse()
        measured = measure_both(order, options, arguments.beside)
        pairs.append(tuple(measured if number % 2 == 0 else reversed(measured)))
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
