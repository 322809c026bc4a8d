/// The options for writing a segment.
struct SegmentOptions: Sendable, Hashable {
    /// Bytes of a block: the unit of checksums, of reading and of compression. A power of two from 4 to 64 KiB.
    var blockBytes = 16 << 10
    var compression = Compression.none
    /// Tests set an older layout, to check segments of older releases.
    var blockLayout = BlockLayout.digested
    /// The number of records to expect, or 0 if it is unknown. A known number saves some copying.
    var expectedRecords = 0
    /// Bytes of each write call.
    var pieces = OutputPieces.shortLived

    static let blockBytesRange = (4 << 10)...(64 << 10)

    /// Returns these options. Throws ``StoreError/Code/invalidArgument`` if the format does not allow the block size or
    /// the compression level.
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
