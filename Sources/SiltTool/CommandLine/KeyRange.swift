/// The records selected by `--from`, `--to`, `--prefix`, `--reverse` and `--limit`.
struct KeyRange: Hashable {
    /// The first key, inclusive; nil for no lower bound.
    var from: [UInt8]?
    /// The last key, exclusive; nil for no upper bound.
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

    /// Restricts the range to keys with a prefix.
    mutating func narrow(toPrefix prefix: [UInt8]) {
        if from?.lexicographicallyPrecedes(prefix) ?? true { from = prefix }
        guard let end = Self.successor(of: prefix) else { return }
        if to.map({ end.lexicographicallyPrecedes($0) }) ?? true { to = end }
    }

    /// The first key after all keys with a prefix; nil if there is none.
    static func successor(of prefix: [UInt8]) -> [UInt8]? {
        var end = prefix
        while let last = end.popLast() {
            if last < 0xff { return end + [last + 1] }
        }
        return nil
    }
}
