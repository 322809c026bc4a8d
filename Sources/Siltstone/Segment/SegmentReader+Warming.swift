extension SegmentReader {
    /// Blocks that are looked at to find out whether a segment has been read, and how many of them must have been.
    private static let (asked, enough) = (64, 4)

    /// Whether readers have been in a good part of the segment since it was opened, by a sample of its blocks: what is made of
    /// it is likely to be read, too.
    var isRead: Bool {
        let count = fences.blockCount
        let step = max(1, count / Self.asked)
        var (block, read) = (0, 0)
        while block < count {
            read += verifiedBlocks.isSet(block) ? 1 : 0
            block += step
        }
        return read * Self.asked >= Self.enough * min(count, Self.asked) && read > 0
    }

    /// Does what the first readers of a mapped segment would otherwise wait for: has its pages put into the page table, and
    /// checks every block and every page of the point index against its checksum.
    ///
    /// For a segment that was just written and is still in the system's cache.
    /// - Parameter shouldStop: asked for each block.
    /// - Throws: ``StoreError`` where something fails its checksum.
    /// - Complexity: O(size of the file)
    func warm(shouldStop: () -> Bool) throws(StoreError) {
        guard let mappedData, let mappedIndex, case .mapping(let mapping) = source else { return }
        mapping.prepareForReading(offset: 0, length: info.fileBytes)
        for block in 0..<fences.blockCount {
            if shouldStop() { return }
            try touch(block, mappedData)
        }
        for page in 0..<geometry.pageCount where !verifiedPages.isSet(page) {
            if shouldStop() { return }
            try verifyMapped(page: page, mappedIndex)
        }
        // All blocks are, and so all windows.
        for window in 0...(dataBytes >> windowShift) { verifiedWindows.set(window) }
    }
}
