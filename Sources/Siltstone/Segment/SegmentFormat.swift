/// The constants of segments that several parts share (`Docs/Format.md`, "Segments").
enum SegmentFormat {
    /// Incompatible feature: blocks are stored in the compressed form.
    static let compressedFeature: UInt32 = 1
    /// Incompatible feature: blocks have digests of their keys.
    static let digestFeature: UInt32 = 2
    /// The incompatible features that this release can read.
    static let knownFeatures = compressedFeature | digestFeature
    /// Logarithm of the unit of logical addresses. A unit is a cache line: small enough that rounding a block up
    /// wastes next to nothing, whatever the size of the records, and large enough that 16 bits count a block's units.
    static let unitShift = 6
    static let unit = 1 << unitShift
    /// Logical addresses of records fit 32 bits.
    static let maximumDataBytes = 1 << 32

    /// `count` up to the next multiple of ``unit``.
    @inline(__always)
    static func roundUp(_ count: Int) -> Int { (count &+ (unit &- 1)) & ~(unit &- 1) }
}
