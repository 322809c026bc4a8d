/// ``Scan`` objects that wait for reuse. Making one takes some twenty allocations, which is as long as a short scan.
///
/// The pool holds only scans of the current super version, because a waiting scan keeps the memory and the files of its
/// super version alive.
final class ScanPool: Sendable {
    /// A power of two, because ``ownSlot`` masks thread numbers with it.
    private static let slotCount = 8

    /// The pooled scans, one in each slot. Each slot has its own cache line.
    private let slots = AtomicBorrowedRow<Scan>(count: slotCount)

    deinit { clear() }

    /// The slot of the calling thread. Few other threads share it.
    @inline(__always)
    private var ownSlot: Int { (ThreadNumbers.shared.current ?? 0) & (Self.slotCount - 1) }

    /// Takes a pooled scan, of any super version. The caller owns it from now on.
    func take() -> Borrowed<Scan>? { slots.exchange(nil, at: ownSlot) }

    /// Adds a scan that is not in use, or releases it if its slot is taken.
    /// - Parameters:
    ///   - scan: owned by the caller before this call, and by the pool afterwards.
    ///   - isCurrent: returns whether a super version is the current one.
    func give(_ scan: Borrowed<Scan>, isCurrent: (Borrowed<SuperVersion>) -> Bool) {
        let (superVersion, isUsable) = scan.with { scan in
            let superVersion = Borrowed(scan.superVersion)
            guard !scan.hasFailed, isCurrent(superVersion) else { return (superVersion, false) }
            scan.rest()
            return (superVersion, true)
        }
        guard isUsable else { return scan.release() }
        let slot = ownSlot
        guard slots.fill(scan, at: slot) else { return scan.release() }
        // The publisher of the next super version clears the pool after publishing. Either it finds this scan, or the
        // check here sees the new super version. While the scan is in its slot, its super version is alive, so no other
        // can have the same address.
        if !isCurrent(superVersion) { slots.exchange(nil, at: slot)?.release() }
    }

    /// Releases all pooled scans.
    func clear() {
        for slot in 0..<Self.slotCount { slots.exchange(nil, at: slot)?.release() }
    }
}
