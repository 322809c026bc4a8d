#!/usr/bin/env bash
# Attacks the readers of bytes with libFuzzer, under the address sanitizer.
#
# The harness is Tests/SiltstoneTests/Fuzzing/Targets, which `swift test` runs for a moment each time too. It is built
# here with the instrumented engine, beside the package: no product of it changes. What is found goes to
# Tests/Fuzzing/Corpus/<target>/found-*; from there on `swift test` tries it for ever.
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly targets="log segment manifest values compact records store"
readonly build=.build/fuzzing

usage() {
    cat <<TEXT
usage: Tests/Fuzzing/run.sh [TARGET] [SECONDS] [libFuzzer options]
       Tests/Fuzzing/run.sh replay TARGET FILE
       Tests/Fuzzing/run.sh seeds TARGET

Attacks TARGET, or all of them one after the other, for SECONDS (60) each, and
prints how often each was run. Stops with exit code 1 at the first input that
makes one trap, hang for 10 s, take more than 1 GiB, touch memory that is not
its own, or hold what does not hold together; the input is kept in
Tests/Fuzzing/Corpus/TARGET, where 'swift test' finds it from then on.

targets: $targets

With the same -seed= (1 where none is given), and on a corpus of its own, a run
tries the same inputs: -seed=7. All other options of libFuzzer may follow too,
such as -runs=100000 or -max_len=4096. 'replay' runs one input, 'seeds' writes
the inputs to begin with anew, after a change of the format.

    Tests/Fuzzing/run.sh                     all targets, a minute each
    Tests/Fuzzing/run.sh segment 600         one target, ten minutes
    Tests/Fuzzing/run.sh replay log Tests/Fuzzing/Corpus/log/found-crash-1f2e
TEXT
}

is_target() { [[ " $targets " == *" $1 "* ]]; }

# The linker has much to say about the sanitizer's symbols.
quietly() {
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1; then cat "$log" >&2; exit 2; fi
    rm -f "$log"
}

# Whether a file is missing, or older than one of the others.
is_stale() {
    local made=$1 source
    shift
    [ -e "$made" ] || return 0
    for source in "$@"; do if [ "$source" -nt "$made" ]; then return 0; fi; done
    return 1
}

# Compiles a module of the package, with the features that Package.swift gives it. An object, not a library: whatever
# nobody calls is instrumented all the same.
module() {
    local name=$1
    shift
    local sources
    mapfile -t sources < <(find "Sources/$name" -name '*.swift' ! -name main.swift | sort)
    # What is inlined from a module that changed has changed too.
    local modules=("$build"/Siltstone.o "$build"/CRUDKit.o)
    [ "$name" = Siltstone ] || [ "$name" = CRUDKit ] && modules=()
    is_stale "$build/$name.o" Tests/Fuzzing/run.sh "${sources[@]}" "${modules[@]}" || return 0
    quietly swiftc "${flags[@]}" "$@" -parse-as-library -module-name "$name" -enable-testing \
        -emit-module -emit-module-path "$build/$name.swiftmodule" -c -o "$build/$name.o" "${sources[@]}"
}

build() {
    mkdir -p "$build"
    flags=(-O -whole-module-optimization -gline-tables-only -swift-version 6 -sanitize=fuzzer,address -I "$build"
        -package-name siltstone -Xcc -fmodule-map-file=Sources/CZlib/module.modulemap -Xcc -fmodule-map-file=Sources/CGetopt/module.modulemap)
    local feature
    for feature in ExistentialAny MemberImportVisibility InternalImportsByDefault NonisolatedNonsendingByDefault \
        InferIsolatedConformances ImmutableWeakCaptures; do
        flags+=(-enable-upcoming-feature "$feature")
    done
    module Siltstone
    module CRUDKit -strict-memory-safety
    module SiltstoneCRUD -strict-memory-safety
    module SiltTool
    local objects=("$build"/{Siltstone,CRUDKit,SiltstoneCRUD,SiltTool}.o)
    local sources=(Tests/Fuzzing/LibFuzzer.swift Tests/SiltstoneTests/Support/{SeededGenerator,ByteArrays}.swift
        Tests/SiltstoneTests/Fuzzing/Targets/*.swift)
    is_stale "$build/fuzz" "${objects[@]}" "${sources[@]}" || return 0
    quietly swiftc "${flags[@]}" -parse-as-library -module-name Fuzzer -o "$build/fuzz" "${sources[@]}" \
        "${objects[@]}" -lz
}

# Swift's own report of a crash can wait for a terminal; the sanitizer has one of its own.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1

attack() {
    local target=$1 seconds=$2 corpus=Tests/Fuzzing/Corpus/$1 work=$build/corpus/$1 log
    shift 2
    mkdir -p "$work"
    log=$build/$target.log
    local status=0
    FUZZ_TARGET=$target "$build/fuzz" -max_total_time="$seconds" -seed=1 -timeout=10 -rss_limit_mb=1024 \
        -malloc_limit_mb=256 -max_len="$(limit "$target")" -print_final_stats=1 -verbosity=1 \
        -artifact_prefix="$corpus/found-" "$@" "$work" "$corpus" >"$log" 2>&1 || status=$?
    local runs
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf 'attack: fuzzing %s: %s executions\n' "$target" "${runs:-?}"
    if [ "$status" != 0 ]; then
        tail -n 60 "$log"
        local found
        found=$(sed -n "s/.*Test unit written to //p" "$log" | tail -1)
        echo "replay: Tests/Fuzzing/run.sh replay $target ${found:-FILE}"
        return 1
    fi
}

limit() {
    case $1 in
    compact | records) echo 4096 ;;
    store) echo 49152 ;;
    *) echo 16384 ;;
    esac
}

case ${1:-} in
-h | --help | help)
    usage
    ;;
replay)
    is_target "${2:-}" && [ -f "${3:-}" ] || { usage >&2; exit 64; }
    build
    FUZZ_TARGET=$2 "$build/fuzz" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=256 "$3"
    ;;
seeds)
    is_target "${2:-}" || { usage >&2; exit 64; }
    build
    mkdir -p "Tests/Fuzzing/Corpus/$2"
    FUZZ_TARGET=$2 FUZZ_SEEDS=Tests/Fuzzing/Corpus/$2 "$build/fuzz" -runs=0 >/dev/null 2>&1
    ls -l "Tests/Fuzzing/Corpus/$2"
    ;;
*)
    chosen=$targets
    if [ $# -gt 0 ] && is_target "$1"; then chosen=$1; shift; fi
    seconds=60
    if [[ ${1:-} =~ ^[0-9]+$ ]]; then seconds=$1; shift; fi
    if [ $# -gt 0 ] && [[ $1 != -* ]]; then usage >&2; exit 64; fi
    build
    status=0
    for target in $chosen; do attack "$target" "$seconds" "$@" || status=1; done
    exit $status
    ;;
esac
