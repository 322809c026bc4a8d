/// The records that `--from`, `--to`, `--prefix`, `--reverse` and `--limit` choose.
struct KeyRange: Hashable {
    /// The first key; nil for the first of all.
    var from: [UInt8]?
    /// The key to stop before; nil for the end.
    var to: [UInt8]?
    var reverse = false
    var limit: Int?

    /// Reads the options of a command.
    init(_ invocation: Invocation) throws(ToolError) {
        if let text = invocation.value(.from) { from = try invocation.key(text) }
        if let text = invocation.value(.to) { to = try invocation.key(text) }
        if let text = invocation.value(.prefix) { narrow(toPrefix: try invocation.key(text)) }
        reverse = invocation.has(.reverse)
        limit = try invocation.number(.limit)
    }

    init(from: [UInt8]? = nil, to: [UInt8]? = nil) {
        self.from = from
        self.to = to
    }

    /// Leaves only keys that begin with `prefix`.
    mutating func narrow(toPrefix prefix: [UInt8]) {
        if from?.lexicographicallyPrecedes(prefix) ?? true { from = prefix }
        guard let end = Self.successor(of: prefix) else { return }
        if to.map({ end.lexicographicallyPrecedes($0) }) ?? true { to = end }
    }

    /// The first key after all that begin with `prefix`; nil where nothing comes after them.
    static func successor(of prefix: [UInt8]) -> [UInt8]? {
        var end = prefix
        while let last = end.popLast() {
            if last < 0xff { return end + [last + 1] }
        }
        return nil
    }
}
