/// The input of `load` and `import`: a file or standard input.
struct InputSource {
    var descriptor: Int32
    var name: String
    /// The bytes up to the end; nil for a pipe or a terminal, which can be read only once.
    var bytes: Int?
    /// The bytes that have been checked: a reader stops behind them, even if the file has grown. Nil for all.
    var limit: Int?

    /// Opens a file, or uses standard input for nil and `-`.
    init(_ path: String?) throws(SystemError) {
        if let path, path != "-" {
            descriptor = try System.open(path)
            name = path
        } else {
            descriptor = System.standardInput
            name = "standard input"
        }
        bytes = System.bytesLeft(descriptor)
    }

    init(descriptor: Int32, name: String, bytes: Int, limit: Int? = nil) {
        self.descriptor = descriptor
        self.name = name
        self.bytes = bytes
        self.limit = limit
    }
}
