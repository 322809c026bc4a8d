import Siltstone

extension Command {
    static let dump = Command(
        name: "dump", operands: "STORE", summary: "print records for 'silt load' to read back",
        discussion: """
            Prints records in the order of their keys, one a line: as JSON,
              {"key":"ada","value":"Ada Lovelace"}
            with key_base64 or value_base64 in place of what is not UTF-8, or, with --format tsv,
            as key, tab and value, where \\t, \\n, \\r, \\\\ and \\xHH stand for bytes that cannot
            stand there. 'silt load' reads both back to the same bytes, and two stores with the
            same records dump the same text.
            """,
        options: [.format] + Option.range + [.quiet],
        examples: [
            "silt dump people.silt > people.jsonl",
            "silt dump --format tsv --prefix user: people.silt | cut -f 1",
        ],
        run: Dump.run)
}

private enum Dump {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let range = try KeyRange(invocation)
        let writer = RecordWriter(try invocation.format())
        // On a terminal the line of progress would overwrite the records.
        let isQuiet = invocation.has(.quiet) || System.isTerminal(System.standardOutput)
        let progress = Progress("dump", isQuiet: isQuiet)
        var output = OutputBuffer.standard()
        var records = 0
        do {
            try invocation.reading { store in
                try store.forEach(range) { record in
                    try writer.write(record, to: &output)
                    records &+= 1
                    if records & 0xfff == 0 { progress.update(bytes: output.total, records: records) }
                    return true
                }
            }
        } catch {
            output.flush(before: error)
            throw error
        }
        try output.flush()
        progress.finish()
        return .success
    }
}
