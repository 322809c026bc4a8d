/// The entries that a scan visits, and their order.
@usableFromInline
struct ScanRange: Sendable {
    /// The first key; nil for the smallest key.
    var from: [UInt8]?
    /// The first key after the range; nil for no upper bound.
    var to: [UInt8]?
    var direction: ScanDirection
    /// The largest number of entries.
    var limit: Int

    init(from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?) {
        self.from = from
        self.to = to
        direction = reverse ? .backward : .forward
        self.limit = Self.limit(limit)
    }

    /// The largest number of entries; unlimited if `count` is nil.
    static func limit(_ count: Int?) -> Int { max(0, count ?? .max) }

    init(prefix: [UInt8], reverse: Bool, limit: Int?) {
        self.init(from: prefix, to: KeyRange.successor(ofPrefix: prefix), reverse: reverse, limit: limit)
    }

    /// The end of the range at which a scan starts: the first key, or the first key after the range if the scan goes
    /// backward.
    var nearEnd: [UInt8]? { direction == .forward ? from : to }
    /// The end of the range at which a scan ends.
    var farEnd: [UInt8]? { direction == .forward ? to : from }
}
