extension SegmentReader {
    /// Does what the first readers of a mapped segment would otherwise wait for: has its pages put into the page table, and
    /// checks every block and every page of the point index against its checksum.
    ///
    /// For a segment that was just written and is still in the system's cache. What is found damaged is left to whoever reads
    /// it, who is told.
    /// - Parameter shouldStop: asked for each block.
    /// - Complexity: O(size of the file)
    func warm(shouldStop: () -> Bool) {
        guard let mappedData, let mappedIndex, case .mapping(let mapping) = source else { return }
        mapping.prepareForReading(offset: 0, length: info.fileBytes)
        do throws(StoreError) {
            for block in 0..<fences.blockCount {
                if shouldStop() { return }
                try touch(block, mappedData)
            }
            for page in 0..<geometry.pageCount where !verifiedPages.isSet(page) {
                if shouldStop() { return }
                try verifyMapped(page: page, mappedIndex)
            }
        } catch { return }
        // All blocks are, and so all windows.
        for window in 0...(dataBytes >> windowShift) { verifiedWindows.set(window) }
    }
}
