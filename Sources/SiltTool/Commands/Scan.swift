import Siltstone

extension Option {
    fileprivate static let keysOnly = Option("keys-only", letter: "k", "leave out the values")
    fileprivate static let count = Option("count", letter: "c", "print how many records there are, and nothing else")
    fileprivate static let full = Option("full", "whole values instead of their first 80 bytes")
    fileprivate static let lines = Option(
        "json", letter: "j", "JSON lines, as dump prints them; with --count an object")
}

extension Command {
    static let scan = Command(
        name: "scan", operands: "STORE", summary: "list records for people to read",
        discussion: """
            Lists records in the order of their keys, compared as unsigned bytes: one a line, as
            'key = value'. Control characters, backslashes and bytes that are not UTF-8 are shown
            as escapes (\\n, \\x07), long values are cut. For programs there is 'silt dump'.
            """,
        options: Option.range + [.keysOnly, .count, .full, .lines],
        examples: [
            "silt scan people.silt",
            "silt scan --prefix user: --reverse --limit 10 people.silt",
            "silt scan --from a --to b --count people.silt",
        ],
        run: Scan.run)
}

private enum Scan {
    /// The bytes of a value shown without `--full`.
    static let shownBytes = 80

    static func run(_ invocation: Invocation) throws -> ExitCode {
        let range = try KeyRange(invocation)
        try invocation.reading { store in
            if invocation.has(.count) {
                try count(store, range, asJSON: invocation.has(.lines))
            } else {
                try list(store, range, invocation)
            }
        }
        return .success
    }

    private static func count(_ store: KeyValueStore, _ range: KeyRange, asJSON: Bool) throws {
        var count = 0
        try store.forEach(range) { _ in
            count += 1
            return true
        }
        if asJSON {
            try JSONReport.print(["count": count])
        } else {
            try Terminal.print("\(count)\n")
        }
    }

    private static func list(_ store: KeyValueStore, _ range: KeyRange, _ invocation: Invocation) throws {
        let keysOnly = invocation.has(.keysOnly)
        let isFull = invocation.has(.full)
        let json = invocation.has(.lines) ? RecordWriter(.jsonLines, keysOnly: keysOnly) : nil
        var output = OutputBuffer.standard()
        do {
            try store.forEach(range) { record in
                if let json {
                    try json.write(record, to: &output)
                } else {
                    try Escaping.write(record.key, .terminal, to: &output)
                    if !keysOnly {
                        try output.append(" = ")
                        try write(value: record.value, isFull, to: &output)
                    }
                    try output.append("\n")
                }
                return true
            }
        } catch {
            output.flush(before: error)
            throw error
        }
        try output.flush()
    }

    private static func write(value: Bytes, _ isFull: Bool, to output: inout OutputBuffer) throws(SystemError) {
        if isFull || value.count <= shownBytes { return try Escaping.write(value, .terminal, to: &output) }
        var end = shownBytes
        // Do not cut a UTF-8 sequence.
        while end > shownBytes - 4, value[end] & 0xc0 == 0x80 { end -= 1 }
        try Escaping.write(value.part(..<end), .terminal, to: &output)
        try output.append(text: "... (\(HumanUnits.count(value.count, "byte")))")
    }
}
