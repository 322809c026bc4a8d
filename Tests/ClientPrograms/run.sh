#!/bin/sh
# Builds and runs the specification's client programs against every repository, and compares what they print.
#
#     Tests/ClientPrograms/run.sh
#
# The programs are compiled as another package sees us: in a temporary directory, with this checkout as a dependency, in
# the Swift 6 and in the Swift 5 language mode. Each of the three is run as it stands, and again with its repository's
# initializer replaced by those of the other repositories. Each run has a home directory of its own.
#
# CLIENT_PROGRAMS_DIRECTORY names a directory to build in that is kept, so that the next run need not start afresh.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$here/../.." && pwd)
if [ -n "${CLIENT_PROGRAMS_DIRECTORY:-}" ]; then
    work=$CLIENT_PROGRAMS_DIRECTORY
    mkdir -p "$work"
    work=$(cd "$work" && pwd)
    rm -rf "$work/Sources"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

# Replaces the repository's initializer, from its name to its closing parenthesis, by another expression. The data
# transformer is kept, as one that is called `transformer` in the replacement.
replace_initializer() { # PROGRAM EXPRESSION
    awk -v expression="$2" '
        /let repository = / { sub(/let repository = .*/, ""); indent = $0; inside = 1; next }
        inside && /dataTransformer: / { transformer = $0; sub(/.*dataTransformer: /, "", transformer); next }
        inside && /^[ \t]*\)$/ {
            text = expression; sub(/transformer/, transformer, text)
            print indent "let repository = " text; inside = 0; next
        }
        !inside' "$1"
}

targets=""
add_target() { # NAME PROGRAM IMPORT EXPRESSION
    for mode in 5 6; do
        folder="$work/Sources/$1$mode"
        mkdir -p "$folder"
        cp "$here/Client.swift" "$folder/Client.swift"
        if [ -z "$4" ]; then
            cp "$here/$2.swift" "$folder/main.swift"
        else
            { [ -z "$3" ] || echo "import $3"; replace_initializer "$here/$2.swift" "$4"; } > "$folder/main.swift"
        fi
        targets="$targets $1$mode"
    done
}

for program in UserDefaultsJSON FileSystemJSON FileSystemXML; do
    add_target "${program}Unchanged" $program "" ""
    add_target "${program}InMemory" $program "" \
        'InMemoryRepository(tableName: "Clients Database", dataTransformer: transformer)'
    add_target "${program}Siltstone" $program SiltstoneCRUD \
        'try SiltstoneRepository(path: "clients.silt", tableName: "Clients Database", dataTransformer: transformer)'
done
add_target UserDefaultsXML FileSystemXML "" \
    'UserDefaultsRepository(tableName: "Clients Database", dataTransformer: transformer)'
add_target DefaultArguments FileSystemJSON "" 'FileSystemRepository()'

{
    echo '// swift-tools-version: 6.0'
    echo 'import PackageDescription'
    echo 'let products: [Target.Dependency] = ['
    echo '    .product(name: "CRUDKit", package: "siltstone"), .product(name: "SiltstoneCRUD", package: "siltstone"),'
    echo ']'
    echo 'let package = Package('
    echo '    name: "client-programs", platforms: [.macOS(.v15)],'
    echo "    dependencies: [.package(name: \"siltstone\", path: \"$checkout\")],"
    echo '    targets: ['
    for target in $targets; do
        mode=${target#"${target%?}"}
        echo "        .executableTarget(name: \"$target\", dependencies: products," \
            "swiftSettings: [.swiftLanguageMode(.v$mode)]),"
    done
    echo '    ])'
} > "$work/Package.swift"

log="$work/build.log"
if ! swift build --package-path "$work" > "$log" 2>&1; then
    cat "$log" >&2
    echo "the client programs do not build" >&2
    exit 1
fi
if grep -E "$work/Sources/.*warning:" "$log" >&2; then
    echo "the client programs build with warnings" >&2
    exit 1
fi

binaries=$(swift build --package-path "$work" --show-bin-path)
failures=0
for target in $targets; do
    home="$work/home/$target"
    rm -rf "$home"
    mkdir -p "$home/Documents"
    if ! (cd "$home" && HOME="$home" CFFIXED_USER_HOME="$home" "$binaries/$target" > output.txt 2> errors.txt) \
        || ! diff "$here/expected.txt" "$home/output.txt"; then
        echo "$target: not what is expected" >&2
        cat "$home/errors.txt" >&2
        failures=$((failures + 1))
    fi
done
echo "client programs: $(echo "$targets" | wc -w) run, $failures failed"
[ $failures -eq 0 ]
