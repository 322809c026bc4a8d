/// How the parts of a block lie (`Docs/Format.md`, "Blocks"). All blocks of a segment have the same layout.
enum BlockLayout: Sendable, Hashable, CaseIterable {
    /// Records and slots: of segments that older releases have written. Nothing writes it any more but tests.
    case plain
    /// Records, digests of their keys, and slots.
    case digested

    /// The layout in a segment with these incompatible features.
    init(features: UInt32) { self = features & SegmentFormat.digestFeature != 0 ? .digested : .plain }

    /// The incompatible features that say so.
    var features: UInt32 { self == .digested ? SegmentFormat.digestFeature : 0 }

    /// Bytes before the first record.
    @inline(__always)
    var headerSize: Int { self == .digested ? 24 : 8 }

    /// Bytes that each record takes behind all of them: a slot, and perhaps a digest, of two each.
    @inline(__always)
    var tailSize: Int { self == .digested ? 4 : 2 }
}
