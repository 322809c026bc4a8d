extension BackgroundWork {
    /// Upper bound, in bytes, of what one call preloads. Older segments may have left the page cache and would be read
    /// from disk. A larger bound prepares more of a large merge but delays its installation. The exact value was not
    /// measured.
    private static let maxPreloadBytes = 1 << 30

    /// Preloads the segments that flushes and compactions have written without preloading them. Runs on the compaction
    /// queue. Stops when the store closes. After an automatic compaction, also stops when the store is no longer idle,
    /// so that writers are not slowed.
    /// - Parameter isRequested: true after a manual compaction, whose caller is likely to read now.
    func preloadNewSegments(isRequested: Bool = false) {
        // Takes all numbers: a segment that is skipped now is not tried again, because it may have left the page cache
        // by then.
        let numbers = takeUnpreloadedSegments()
        let segments = versions.current.allSegments.filter { numbers.contains($0.info.number) }
        // If the store does not fit into memory, preloaded pages would evict pages that are in use.
        if directory.pageCache.isTight { return }
        for segment in Self.preloadable(segments) {
            do throws(StoreError) {
                try segment.preload { self.status.isStopping || !isRequested && !self.isIdle }
            } catch {
                // Not reported here: a read of the segment meets the same error, and reports it to its caller.
            }
        }
    }

    /// Preloads the output of a flush or compaction before it replaces its inputs: prefaults it, and verifies its
    /// checksums. Otherwise the first readers of the output would pay for both. Callers skip it for a store that nobody
    /// reads, which saves a twentieth of each merge (`Docs/Experiments.md`, "Background reads do not count as reads").
    /// A manual compaction skips it too, and has its output preloaded in the background
    /// (``preloadNewSegments(isRequested:)``).
    ///
    /// This is no guarantee that a segment is intact. These are installed unverified: segments that are not preloaded,
    /// compressed segments, those of a store that does not map its files, and those whose preload is cut short because
    /// the store closes.
    /// - Returns: the numbers of the segments that this call did not try to preload, because the store does not fit
    ///   into memory or because they exceed ``maxPreloadBytes``.
    /// - Throws: ``StoreError`` if a checksum does not match. The segment must then not be installed.
    func preload(_ readers: [SegmentReader]) throws(StoreError) -> [UInt64] {
        let numbers = readers.map(\.info.number)
        if directory.pageCache.isTight { return numbers }
        let ready = Self.preloadable(readers)
        for reader in ready { try reader.preload { self.status.isStopping } }
        return Array(Set(numbers).subtracting(ready.map(\.info.number)))
    }

    /// The newest of `segments`, newest first, as many as stay within ``maxPreloadBytes``. The system's cache may
    /// already have dropped the segments that were written long before the others.
    private static func preloadable(_ segments: [SegmentReader]) -> ArraySlice<SegmentReader> {
        var left = maxPreloadBytes
        return segments.sorted { $0.info.number > $1.info.number }.prefix { segment in
            left -= segment.info.fileBytes
            return left >= 0
        }
    }
}
