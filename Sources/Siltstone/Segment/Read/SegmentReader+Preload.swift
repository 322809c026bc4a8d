extension SegmentReader {
    /// ``preload(shouldStop:)`` prefaults this many bytes at a time, so that it stops soon. A smaller piece would take
    /// more calls. The exact value was not measured.
    private static let prefaultBytes = 4 << 20

    /// Target number of blocks that ``isRead`` samples.
    private static let maxSamples = 32

    /// ``isRead`` samples one block in this many. The step is at least 4, so that most blocks of a small segment are
    /// not sampled.
    private var sampleStep: Int { max(4, (blockIndex.blockCount + Self.maxSamples - 1) / Self.maxSamples) }

    /// True if user reads have used a sixteenth or more of the sampled blocks since the segment was opened. The output
    /// of a merge of this segment is then likely to be read, too. Sampled blocks are marked as verified only by user
    /// reads, not by merges or by ``preload(shouldStop:)``.
    var isRead: Bool {
        let sample = Array(stride(from: 0, to: blockIndex.blockCount, by: sampleStep))
        let read = sample.count { verifiedBlocks.isSet($0) }
        return read > 0 && read * 16 >= sample.count
    }

    /// Prepares a mapped segment so that its first readers need not: prefaults its pages, and verifies the checksums of
    /// all blocks and all pages of the hash index. Then marks the windows in which every block is marked as verified. A
    /// window is a range of `1 << windowShift` logical addresses, and point reads check the mark of a window instead of
    /// a block (``noteVerified(around:)``).
    ///
    /// Meant for a segment that was just written and is still in the system's cache. Does nothing if the file is not
    /// mapped, or if the segment is compressed: its blocks are inflated into the block cache, and are verified then.
    /// - Parameter shouldStop: called before each piece of ``prefaultBytes``, each block and each page; true ends the
    ///   preload.
    /// - Throws: ``StoreError`` if a checksum does not match.
    /// - Complexity: O(size of the file)
    func preload(shouldStop: () -> Bool) throws(StoreError) {
        guard let mappedData, let mappedIndex, case .mapping(let mapping) = source else { return }
        for offset in stride(from: 0, to: info.fileBytes, by: Self.prefaultBytes) {
            if shouldStop() { return }
            mapping.prepareForReading(offset: offset, length: min(Self.prefaultBytes, info.fileBytes - offset))
        }
        let step = sampleStep
        for block in 0..<blockIndex.blockCount {
            if shouldStop() { return }
            // Do not mark sampled blocks as verified: only user reads may mark them, because ``isRead`` counts those
            // bits.
            try touch(block, mappedData, noting: !block.isMultiple(of: step))
        }
        for page in 0..<geometry.pageCount where !verifiedPages.isSet(page) {
            if shouldStop() { return }
            try verifyMapped(page: page, mappedIndex)
        }
        for address in stride(from: 0, to: dataBytes, by: 1 << windowShift) { noteVerified(around: address) }
    }
}
