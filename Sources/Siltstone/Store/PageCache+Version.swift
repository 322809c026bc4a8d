extension PageCache {
    /// Compares a version's files with the memory there is.
    /// - Returns: whether ``isTight`` has changed.
    @discardableResult
    func measure(_ version: Version) -> Bool {
        let valueBytes = version.valueFiles.values.reduce(0) { $0 + $1.approximateSize }
        let segments = version.allSegments
        return measure(
            fileBytes: segments.reduce(valueBytes) { $0 + $1.info.fileBytes },
            indexBytes: segments.reduce(0) { $0 + $1.geometry.byteCount })
    }

    /// The same of segments that are not open yet.
    func measure(_ segments: [SegmentInfo]) {
        measure(
            fileBytes: segments.reduce(0) { $0 + $1.fileBytes },
            indexBytes: segments.reduce(0) { $0 + PointIndexGeometry(keys: $1.recordCount, dataBytes: 1).byteCount })
    }
}
