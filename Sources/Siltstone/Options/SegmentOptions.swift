/// How the blocks of a segment are stored.
public enum Compression: Sendable, Hashable, Codable {
    /// As they are: reads need no work and no copy.
    case none
    /// As raw deflate streams (RFC 1951). Smaller; a block is inflated on its first read and then cached.
    ///
    /// The level is zlib's, from 1 (fast) to 9 (small).
    case deflate(level: Int = 6)
}

/// What a segment is to be like.
struct SegmentOptions: Sendable, Hashable {
    /// Bytes of a block: the unit of checksums, of reading and of compression. A power of two from 4 to 64 KiB.
    var blockBytes = 16 << 10
    var compression = Compression.none
    /// Another one than that of this release is for tests of what older ones have left.
    var blockLayout = BlockLayout.digested
    /// How many records are coming, where that is known; saves some copying.
    var expectedRecords = 0
    var pieces = OutputPieces.soon

    static let blockBytesRange = (4 << 10)...(64 << 10)

    /// The options with a block size that the format allows.
    func validated() throws(StoreError) -> SegmentOptions {
        guard Self.blockBytesRange.contains(blockBytes), blockBytes & (blockBytes - 1) == 0 else {
            throw StoreError(
                .invalidArgument, "the block size must be a power of two from 4096 to 65536, not \(blockBytes)")
        }
        if case .deflate(let level) = compression, !(1...9).contains(level) {
            throw StoreError(.invalidArgument, "the compression level must be from 1 to 9, not \(level)")
        }
        return self
    }
}
