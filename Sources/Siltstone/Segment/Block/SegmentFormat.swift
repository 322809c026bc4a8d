/// Constants of the segment format that several parts share (`Docs/Format.md`, "Segments").
enum SegmentFormat {
    /// Incompatible feature: blocks are stored in the compressed form.
    static let compressedFeature: UInt32 = 1
    /// Incompatible feature: blocks contain digests of their keys.
    static let digestFeature: UInt32 = 2
    /// The incompatible features that this release can read.
    static let knownFeatures = compressedFeature | digestFeature
    /// Base-2 logarithm of the unit of logical addresses. A unit is a cache line. It is small enough that rounding a
    /// block up wastes almost nothing, whatever the size of the records. It is large enough that 16 bits can count the
    /// units of a block below 4 MiB. A longer block, with one very large record, has a length of 0 in its header.
    static let unitShift = 6
    static let unit = 1 << unitShift
    /// Bytes of blocks in a segment at most (4 GiB), so that the logical addresses of records fit into 32 bits.
    static let maximumDataBytes = 1 << 32

    /// Rounds `count` up to the next multiple of ``unit``.
    @inline(__always)
    static func roundUp(_ count: Int) -> Int { (count &+ (unit &- 1)) & ~(unit &- 1) }
}
