/// Which entries a scan visits, and in which order.
@usableFromInline
struct ScanRange: Sendable {
    /// The first key; nil for the beginning.
    var from: [UInt8]?
    /// The first key behind the range; nil for the end.
    var to: [UInt8]?
    var direction: ScanDirection
    var limit: Int

    init(from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?) {
        self.from = from
        self.to = to
        direction = reverse ? .backward : .forward
        self.limit = Self.limit(limit)
    }

    /// How many entries at most; nil for all.
    static func limit(_ count: Int?) -> Int { max(0, count ?? .max) }

    init(prefix: [UInt8], reverse: Bool, limit: Int?) {
        self.init(from: prefix, to: KeyRange.successor(ofPrefix: prefix), reverse: reverse, limit: limit)
    }

    /// Where a walk begins: the first key, or the one behind the last.
    var nearEnd: [UInt8]? { direction == .forward ? from : to }
    /// Where it ends.
    var farEnd: [UInt8]? { direction == .forward ? to : from }
}
