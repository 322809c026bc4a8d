/// The entries that a scan visits, and their order.
@usableFromInline
struct ScanRange: Sendable {
    var keys: KeyRange
    var direction: ScanDirection
    /// The largest number of entries.
    var limit: Int

    init(from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?) {
        keys = KeyRange(from: from, to: to)
        direction = reverse ? .backward : .forward
        self.limit = Self.limit(limit)
    }

    /// The largest number of entries: `count`, but not less than 0; `.max` if it is nil.
    static func limit(_ count: Int?) -> Int { max(0, count ?? .max) }
}
