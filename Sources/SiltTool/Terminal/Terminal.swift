/// Writes text to standard output and standard error.
enum Terminal {
    /// Writes `text` to standard output, unchanged.
    static func print(_ text: String) throws(SystemError) {
        try write(text, to: System.standardOutput, name: "standard output")
    }

    /// Writes `text` to standard error. Ignores errors.
    static func printError(_ text: String) {
        do { try write(text, to: System.standardError, name: "standard error") } catch {}
    }

    private static func write(_ text: String, to descriptor: Int32, name: String) throws(SystemError) {
        var buffer = ByteBuffer(capacity: text.utf8.count)
        for byte in text.utf8 { buffer.append(byte) }
        try System.write(descriptor, buffer.bytes, name: name)
    }
}
