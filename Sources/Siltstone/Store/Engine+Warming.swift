import Dispatch
import Synchronization

extension Engine {
    /// Bytes of segments that are made ready at a time: what was written before them may not be in the system's cache any
    /// more, and to read it from the disk would serve nobody.
    private static let greatestWarming = 1 << 30

    /// Makes segments that were just written ready for reading, where that is not at the cost of writers. On the compaction
    /// queue.
    /// - Parameter isRequested: whether somebody has asked for the compaction that wrote them, and is likely to read now.
    func warmSegments(isRequested: Bool = false) {
        let fresh = writeLock.withLock {
            defer { state.pointee.freshSegments = [] }
            return state.pointee.version.allSegments.filter { state.pointee.freshSegments.contains($0.info.number) }
        }
        var left = Self.greatestWarming
        for segment in fresh {
            left -= segment.info.fileBytes
            if left < 0 { return }
            segment.warm { self.isStopping.load(ordering: .relaxed) || !isRequested && !self.isIdle }
        }
    }

    /// As ``warmSegments(isRequested:)``, soon.
    func warmSegmentsSoon() { compactionQueue.async { self.warmSegments(isRequested: true) } }
}
