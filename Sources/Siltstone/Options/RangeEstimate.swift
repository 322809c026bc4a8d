/// What a range of keys holds, about; see ``KeyValueReader/estimate(from:to:)``.
public struct RangeEstimate: Hashable, Sendable {
    /// Entries.
    public var entries: Int
    /// Bytes of their keys and values.
    public var bytes: Int

    /// An estimate.
    public init(entries: Int, bytes: Int) {
        self.entries = entries
        self.bytes = bytes
    }

    /// Nothing.
    static let nothing = RangeEstimate(entries: 0, bytes: 0)

    static func += (sum: inout RangeEstimate, part: RangeEstimate) {
        sum.entries += part.entries
        sum.bytes += part.bytes
    }
}
