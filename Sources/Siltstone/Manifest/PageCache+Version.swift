extension PageCache {
    /// Compares the size of a version's files with the available memory.
    /// - Returns: true if ``isTight`` has changed.
    @discardableResult
    func measure(_ version: Version) -> Bool {
        let valueBytes = version.valueFiles.values.reduce(0) { $0 + $1.length.bytes }
        let segments = version.allSegments
        return measure(
            fileBytes: segments.reduce(valueBytes) { $0 + $1.info.fileBytes },
            indexBytes: segments.reduce(0) { $0 + $1.geometry.byteCount })
    }
}
