/// Scans that wait for the next walk: to make one takes some twenty allocations, which is as long as a short walk.
///
/// Only scans of the current super version wait here, since a waiting scan keeps the memory and the files of its super
/// version.
final class ScanPool: Sendable {
    private static let slotCount = 8

    /// Scans that the pool keeps. Each slot has a cache line of its own.
    private let slots = AtomicBorrowedRow<Scan>(count: slotCount)

    deinit { clear() }

    /// The slot of the calling thread, which few others use.
    @inline(__always)
    private var ownSlot: Int { (ThreadNumbers.shared.current ?? 0) & (Self.slotCount - 1) }

    /// A scan that waits, of any super version, kept by the caller from now on.
    func take() -> Borrowed<Scan>? { slots[ownSlot].exchange(nil) }

    /// Keeps a scan that nobody uses any more, where there is room.
    /// - Parameters:
    ///   - scan: kept by the caller, and by the pool from now on.
    ///   - isCurrent: whether a super version is the current one.
    func give(_ scan: Borrowed<Scan>, isCurrent: (Borrowed<SuperVersion>) -> Bool) {
        let (superVersion, isUsable) = scan.with { scan in
            let superVersion = Borrowed(scan.superVersion)
            guard !scan.hasFailed, isCurrent(superVersion) else { return (superVersion, false) }
            scan.rest()
            return (superVersion, true)
        }
        guard isUsable else { return scan.release() }
        let slot = ownSlot
        guard slots[slot].fill(scan) else { return scan.release() }
        // The publisher of the next super version clears the pool afterwards. Either it has found this scan, or the look here
        // finds its super version. As long as the scan is in its slot, no other super version has the same address.
        if !isCurrent(superVersion) { slots[slot].exchange(nil)?.release() }
    }

    /// Gives up all that wait.
    func clear() {
        for slot in 0..<Self.slotCount { slots[slot].exchange(nil)?.release() }
    }
}
