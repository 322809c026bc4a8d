import Synchronization

/// Scans that wait for the next walk: to make one takes some twenty allocations, which is as long as a short walk.
///
/// Only scans of the current view wait here, since what waits keeps the memory and the files of its view.
///
/// `@unchecked Sendable`: the slots are atomics at fixed addresses.
final class ScanPool: @unchecked Sendable {
    private static let slotCount = 8
    /// A cache line each.
    private static let slotBytes = 64

    private let slots: UnsafeMutableRawPointer

    init() {
        slots = .allocate(byteCount: Self.slotCount * Self.slotBytes, alignment: Self.slotBytes)
        slots.initializeMemory(as: UInt8.self, repeating: 0, count: Self.slotCount * Self.slotBytes)
    }

    deinit {
        clear()
        slots.deallocate()
    }

    /// A retained ``Scan``, or 0.
    @inline(__always)
    private func slot(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
        (slots + index &* Self.slotBytes).assumingMemoryBound(to: Atomic<UInt>.self)
    }

    /// The slot of the calling thread, which few others use.
    @inline(__always)
    private var ownSlot: UnsafeMutablePointer<Atomic<UInt>> {
        slot((ThreadNumbers.shared.current ?? 0) & (Self.slotCount - 1))
    }

    /// What a slot held, retained, which it holds no more.
    @inline(__always)
    private static func empty(_ slot: UnsafeMutablePointer<Atomic<UInt>>) -> Unmanaged<Scan>? {
        let bits = slot.pointee.exchange(0, ordering: .acquiring)
        return UnsafeRawPointer(bitPattern: bits).map { Unmanaged<Scan>.fromOpaque($0) }
    }

    /// A scan that waits, retained; of what view, the caller has to look.
    func take() -> Unmanaged<Scan>? { Self.empty(ownSlot) }

    /// Keeps a scan that nobody uses any more, where there is room.
    /// - Parameters:
    ///   - scan: retained, which is the pool's to release from now on.
    ///   - isCurrent: whether a view is the current one.
    func give(_ scan: Unmanaged<Scan>, isCurrent: (Unmanaged<SuperVersion>) -> Bool) {
        let (view, isUsable) = scan._withUnsafeGuaranteedRef { scan in
            let view = Unmanaged.passUnretained(scan.view)
            guard !scan.hasFailed, isCurrent(view) else { return (view, false) }
            scan.rest()
            return (view, true)
        }
        guard isUsable else { return scan.release() }
        let slot = ownSlot
        let bits = UInt(bitPattern: scan.toOpaque())
        let (isKept, _) = slot.pointee.compareExchange(expected: 0, desired: bits, ordering: .sequentiallyConsistent)
        if !isKept { return scan.release() }
        // Whoever publishes the next view clears the pool after it; this has come too late for that, or sees it. As long
        // as the scan is in its slot, its view is the only one of this address.
        if !isCurrent(view) { Self.empty(slot)?.release() }
    }

    /// Gives up all that wait.
    func clear() {
        for index in 0..<Self.slotCount { Self.empty(slot(index))?.release() }
    }
}
