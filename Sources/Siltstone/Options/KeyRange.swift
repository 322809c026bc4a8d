/// A range of keys: from `from` up to, not including, `to`.
public struct KeyRange: Hashable, Sendable {
    /// The first key; an empty one is the first of all.
    public var from: [UInt8]
    /// The first key behind the range; nil for the end.
    public var to: [UInt8]?

    /// The keys in `[from, to)`; none where `to` does not come after `from`.
    /// - Parameters:
    ///   - from: the first key; nil for the beginning.
    ///   - to: the first key behind the range; nil for the end.
    public init(from: [UInt8]? = nil, to: [UInt8]? = nil) {
        self.from = from ?? []
        self.to = to
    }

    /// The keys that begin with `prefix`.
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

    /// The least key behind another one.
    static func successor(of key: [UInt8]) -> [UInt8] { key + [0] }

    /// The least key that comes after all that begin with `prefix`; nil where there is none.
    @usableFromInline
    static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        var key = prefix
        while let last = key.popLast() {
            if last < 0xff {
                key.append(last + 1)
                return key
            }
        }
        return nil
    }
}
