/// The layout of a block (`Docs/Format.md`, "Blocks"). All blocks of a segment have the same one.
enum BlockLayout: Sendable, Hashable, CaseIterable {
    /// Records and slots. Segments of older releases have this layout. Today only tests write it.
    case plain
    /// Records, digests of their keys, and slots.
    case digested

    /// The layout of a segment with these incompatible features.
    init(features: UInt32) { self = features & SegmentFormat.digestFeature != 0 ? .digested : .plain }

    /// The incompatible features that encode this layout.
    var features: UInt32 { self == .digested ? SegmentFormat.digestFeature : 0 }

    /// Bytes before the first record.
    @inline(__always)
    var headerSize: Int { self == .digested ? 24 : 8 }

    /// Bytes per record after the area of records: a slot of two bytes and, if the layout has digests, a digest of two.
    @inline(__always)
    var tailBytesPerRecord: Int { self == .digested ? 4 : 2 }
}
