import Siltstone

extension Option {
    fileprivate static let raw = Option("raw", "the value's bytes and nothing else, on a terminal too")
    fileprivate static let printHex = Option("hex", "print the value as hexadecimal")
    fileprivate static let printBase64 = Option("base64", "print the value as base64")
    fileprivate static let record = Option("json", letter: "j", "print the record as dump does")
}

extension Command {
    static let get = Command(
        name: "get", operands: "STORE KEY", summary: "print the value of a key",
        discussion: """
            Prints the value of KEY to standard output, byte for byte; on a terminal, and after
            --hex and --base64, a line feed follows. Where the key is missing nothing is printed
            and the exit status is 1.
            """,
        options: [.raw, .printHex, .printBase64, .record, .keyHex, .keyBase64],
        examples: [
            "silt get people.silt ada",
            "silt get --hex people.silt ada",
        ],
        run: Get.run)
}

private enum Get {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let text = invocation.operand(1) ?? ""
        let key = try invocation.key(text)
        let encoding = try invocation.encoding(hexadecimal: .printHex, base64: .printBase64)
        let isRaw = invocation.has(.raw)
        let isRecord = invocation.has(.record)
        if [isRaw, isRecord, encoding != .plain].count(where: { $0 }) > 1 {
            throw invocation.usage("--raw, --hex, --base64 and --json exclude each other")
        }
        guard let value = try invocation.reading({ try $0.get(key) }) else {
            throw ToolError(.negative, "the key '\(text)' is not in the store")
        }
        var output = OutputBuffer.standard()
        if isRecord {
            try unsafe key.withUnsafeBytes { key in
                try unsafe value.withUnsafeBytes { value in
                    let record = unsafe RawRecord(key: Bytes(key), value: Bytes(value))
                    try RecordWriter(.jsonLines).write(record, to: &output)
                }
            }
        } else {
            try unsafe encoding.encode(value).withUnsafeBytes { try unsafe output.append(Bytes($0)) }
            let isForEyes = encoding != .plain || System.isTerminal(System.standardOutput)
            if isForEyes, !isRaw { try output.append("\n") }
        }
        try output.flush()
        return .success
    }
}
