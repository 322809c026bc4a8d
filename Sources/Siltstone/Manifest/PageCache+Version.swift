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
}
