#!/usr/bin/env bash
# Runs the tests of threads under the thread sanitizer, and fails where it warns.
#
# Reports that are no races are listed in thread.supp, each with its reason. So a run ends without a warning, and a new one
# is a fault.
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly build=.build/thread-sanitizer
# Of the engine's tests alone: the locks of the layers above are those of the standard library, which the sanitizer does
# not see.
readonly quick='^SiltstoneTests\.(MemTableConcurrencyTests|EpochReclaimerTests|GroupCommitTests|ReadRaceTests|TransactionTests|TransactionConflictTests|ChangeFeedTests'
readonly full="$quick|ConcurrencyTests|HistoryTests|ClosingRaceTests|BankTests|TransactionModelTests"

usage() {
    cat <<TEXT
usage: Tests/Sanitizers/run.sh [full | FILTER]

Builds the tests for the thread sanitizer, in $build, and runs the suites of
threads: the quick ones, with 'full' all of them, or those that FILTER matches,
as 'swift test --filter' does. Prints each warning once, with how often it came,
and exits with 1 where there was one, or where a test has failed. All warnings
lie in $build/warnings.
TEXT
}

# Prints the warnings that are alike as one: those with the same two frames on top of both stacks.
summarize() {
    python3 - "$@" <<'PYTHON'
import collections, re, sys

groups = collections.OrderedDict()
for name in sys.argv[1:]:
    with open(name, errors="replace") as file:
        reports = re.split(r"^={18}$", file.read(), flags=re.M)
    for report in reports:
        kind = re.search(r"WARNING: ThreadSanitizer: (.*?) \(pid", report)
        if not kind: continue
        stacks = re.findall(r"^  (?:\S.*):\n((?:    #\d.*\n)+)", report, flags=re.M)
        frames = [re.findall(r"#\d+ (.*?) \(", stack)[:2] for stack in stacks[:2]]
        key = (kind.group(1), tuple(sorted(tuple(top) for top in frames)))
        groups.setdefault(key, []).append(report)
for (kind, frames), reports in sorted(groups.items(), key=lambda group: -len(group[1])):
    print(f"\n{len(reports)} times: {kind}{reports[0].rstrip()}")
print(f"\n{sum(map(len, groups.values()))} warnings of {len(groups)} kinds")
PYTHON
}

case ${1:-} in
-h | --help | help) usage; exit ;;
full) filter="$full)" ;;
"") filter="$quick)" ;;
*) filter=$1 ;;
esac

swift build --build-tests --sanitize=thread --scratch-path "$build"
rm -rf "$build/warnings"
mkdir -p "$build/warnings"
# Swift's own report of a crash can wait for a terminal.
export SWIFT_BACKTRACE=enable=no
export TSAN_OPTIONS="suppressions=$PWD/Tests/Sanitizers/thread.supp:log_path=$PWD/$build/warnings/run:exitcode=66:halt_on_error=0"
status=0
# The quick counts, also as a step of the thorough tests: everything takes ten times as long here.
env -u SILTSTONE_THOROUGH swift test --skip-build --disable-xctest --sanitize=thread --scratch-path "$build" \
    --filter "$filter" || status=1
shopt -s nullglob
warnings=("$build"/warnings/run.*)
if [ ${#warnings[@]} -gt 0 ]; then
    summarize "${warnings[@]}"
    exit 1
fi
if [ "$status" = 0 ]; then echo "no warning of the thread sanitizer"; fi
exit $status
