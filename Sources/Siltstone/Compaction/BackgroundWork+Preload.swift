import Dispatch
import Synchronization

extension BackgroundWork {
    /// Bytes of segments that are made ready at a time: what was written before them may not be in the system's cache any
    /// more, and to read it from the disk would serve nobody.
    private static let greatestPreload = 1 << 30

    /// Makes segments that were just written ready for reading, where that is not at the cost of writers. On the compaction
    /// queue.
    /// - Parameter isRequested: whether somebody has asked for the compaction that wrote them, and is likely to read now.
    func preloadFreshSegments(isRequested: Bool = false) {
        let numbers = takeFreshSegments()
        let fresh = versions.current.allSegments.filter { numbers.contains($0.info.number) }
        // In place of pages that are in use, where there is no memory for all.
        if directory.pageCache.isTight { return }
        for segment in Self.preloadable(fresh) {
            do throws(StoreError) {
                try segment.preload { self.status.isStopping || !isRequested && !self.isIdle }
            } catch {
                // What is damaged is left to whoever reads it, who is told.
            }
        }
    }

    /// Makes segments ready for reading that take the place of others, before they do: who reads those would find everything
    /// of them anew. It costs a twentieth of the merge, of which a store that nobody reads is spared.
    /// - Returns: the numbers of those that are left, beyond what is made ready at a time.
    /// - Throws: ``StoreError`` where one does not read as it was written; it must not be put in force.
    func preload(_ readers: [UInt64: SegmentReader]) throws(StoreError) -> [UInt64] {
        // The newest first: what was written long before them may not be in the system's cache any more.
        let numbers = readers.keys.sorted(by: >)
        if directory.pageCache.isTight { return numbers }
        let ready = Self.preloadable(numbers.compactMap { readers[$0] })
        for reader in ready { try reader.preload { self.status.isStopping } }
        return Array(numbers.dropFirst(ready.count))
    }

    /// The first of some segments, as many as are made ready at a time.
    private static func preloadable(_ segments: [SegmentReader]) -> ArraySlice<SegmentReader> {
        var left = greatestPreload
        return segments.prefix { segment in
            left -= segment.info.fileBytes
            return left >= 0
        }
    }

    /// As ``preloadFreshSegments(isRequested:)``, soon.
    func preloadFreshSegmentsSoon() { compactionQueue.async { self.preloadFreshSegments(isRequested: true) } }
}
