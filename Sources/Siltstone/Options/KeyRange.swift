/// A range of keys: from `from` up to, but excluding, `to`.
public struct KeyRange: Hashable, Sendable {
    /// The first key; an empty key is the smallest of all.
    public var from: [UInt8]
    /// The first key after the range; nil for no upper bound.
    public var to: [UInt8]?

    /// The keys in `[from, to)`; none if `to` is not larger than `from`.
    /// - Parameters:
    ///   - from: the first key; nil for the smallest.
    ///   - to: the first key after the range; nil for no upper bound.
    public init(from: [UInt8]? = nil, to: [UInt8]? = nil) {
        self.from = from ?? []
        self.to = to
    }

    /// The keys that start with `prefix`.
    public init(prefix: some Collection<UInt8>) {
        let prefix = Array(prefix)
        self.init(from: prefix, to: Self.successor(ofPrefix: prefix))
    }

    /// One key.
    public init(key: some Collection<UInt8>) {
        let key = Array(key)
        self.init(from: key, to: Self.successor(of: key))
    }

    /// Whether no key is in the range.
    public var isEmpty: Bool {
        guard let to else { return false }
        return !from.lexicographicallyPrecedes(to)
    }

    /// The smallest key after another one.
    static func successor(of key: [UInt8]) -> [UInt8] { key + [0] }

    /// The smallest key after all keys that start with `prefix`; nil if there is none: `prefix` is empty, or all its
    /// bytes are 0xFF.
    @usableFromInline
    static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 < 0xff }) else { return nil }
        var key = Array(prefix[...last])
        key[last] += 1
        return key
    }
}
