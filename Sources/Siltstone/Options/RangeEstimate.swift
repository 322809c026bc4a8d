/// An estimate of the contents of a key range; see ``KeyValueReader/estimate(from:to:)``.
public struct RangeEstimate: Hashable, Sendable {
    /// The number of entries.
    public var entries: Int
    /// The bytes of their keys and values.
    public var bytes: Int

    /// Creates an estimate.
    public init(entries: Int, bytes: Int) {
        self.entries = entries
        self.bytes = bytes
    }

    /// The estimate of an empty range.
    static let nothing = RangeEstimate(entries: 0, bytes: 0)

    /// Adds the estimate of another source or range.
    static func += (sum: inout RangeEstimate, part: RangeEstimate) {
        sum.entries += part.entries
        sum.bytes += part.bytes
    }
}
