extension SegmentReader {
    /// Blocks that are asked, at most, whether anybody has read them.
    private static let asked = 32

    /// Every so many blocks one is asked; not all of a small segment.
    private var askedStep: Int { max(4, (fences.blockCount + Self.asked - 1) / Self.asked) }

    /// Whether readers have been in a good part of the segment since it was opened, by a sample of its blocks: what is made of
    /// it is likely to be read, too. Neither merges nor ``preload(shouldStop:)`` pass for readers.
    var isRead: Bool {
        let sample = stride(from: 0, to: fences.blockCount, by: askedStep)
        var (count, read) = (0, 0)
        for block in sample {
            count += 1
            read += verifiedBlocks.isSet(block) ? 1 : 0
        }
        return read > 0 && read * 16 >= count
    }

    /// Does what the first readers of a mapped segment would otherwise wait for: has its pages put into the page table, and
    /// checks every block and every page of the hash index against its checksum.
    ///
    /// For a segment that was just written and is still in the system's cache.
    /// - Parameter shouldStop: asked for each block.
    /// - Throws: ``StoreError`` where something fails its checksum.
    /// - Complexity: O(size of the file)
    func preload(shouldStop: () -> Bool) throws(StoreError) {
        guard let mappedData, let mappedIndex, case .mapping(let mapping) = source else { return }
        mapping.prepareForReading(offset: 0, length: info.fileBytes)
        let step = askedStep
        for block in 0..<fences.blockCount {
            if shouldStop() { return }
            // Of those that are asked it is for readers to note that they are right.
            try touch(block, mappedData, noting: !block.isMultiple(of: step))
        }
        for page in 0..<geometry.pageCount where !verifiedPages.isSet(page) {
            if shouldStop() { return }
            try verifyMapped(page: page, mappedIndex)
        }
        for address in stride(from: 0, to: dataBytes, by: 1 << windowShift) { noteVerified(around: address) }
    }
}
