import Siltstone

extension Option {
    static let hex = Option("hex", "the value is hexadecimal")
    static let base64 = Option("base64", "the value is base64")
}

extension Command {
    static let put = Command(
        name: "put", operands: "STORE KEY [VALUE]", summary: "store a value under a key",
        discussion: """
            Stores VALUE under KEY, in place of what was there. Without VALUE, standard input is
            the value, to the last byte. The store is made where it is missing. When the command
            returns, the value is on stable storage.
            """,
        options: [.hex, .base64, .keyHex, .keyBase64],
        examples: [
            "silt put people.silt ada 'Ada Lovelace'",
            "silt put people.silt portrait:ada < ada.png",
        ],
        run: Put.run)
}

private enum Put {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let key = try invocation.key(invocation.operand(1) ?? "")
        let encoding = try invocation.encoding(hexadecimal: .hex, base64: .base64)
        let value: [UInt8]
        if let text = invocation.operand(2) {
            guard let decoded = encoding.decode(text) else {
                throw invocation.usage("the value is not \(encoding == .base64 ? "base64" : "hexadecimal")")
            }
            value = decoded
        } else if encoding == .plain {
            value = try standardInput()
        } else {
            throw invocation.usage("--hex and --base64 are for a VALUE on the command line")
        }
        // Refused before the store is made.
        try Limits.check(key: key.count, value: value.count)
        // The input is read before the store is opened: slow typing must not keep the store locked.
        try invocation.writing(createIfMissing: true) { try $0.put(key, value, durability: .synced) }
        return .success
    }

    /// Standard input, up to one byte more than the limit of a value, which the store then refuses.
    private static func standardInput() throws(SystemError) -> [UInt8] {
        var bytes = ByteBuffer(capacity: 64 << 10)
        while bytes.count <= Limits.valueBytes {
            let most = Limits.valueBytes + 1 - bytes.count
            let read = try bytes.read(
                System.standardInput, askingFor: 64 << 10, most: most, name: "standard input")
            if read.isEmpty { break }
        }
        return Array(bytes.bytes)
    }
}
