/// Which entries a scan visits, and in which order.
struct ScanRange: Sendable {
    /// The first key; nil for the beginning.
    var from: [UInt8]?
    /// The first key behind the range; nil for the end.
    var to: [UInt8]?
    var direction: ScanDirection
    var limit: Int

    init(from: consuming [UInt8]?, to: consuming [UInt8]?, reverse: Bool, limit: Int?) {
        self.from = from
        self.to = to
        direction = reverse ? .backward : .forward
        self.limit = max(0, limit ?? .max)
    }

    init(prefix: consuming [UInt8], reverse: Bool, limit: Int?) {
        let end = Self.successor(ofPrefix: prefix)
        self.init(from: prefix, to: end, reverse: reverse, limit: limit)
    }

    /// The least key that comes after all that begin with `prefix`; nil where there is none.
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
