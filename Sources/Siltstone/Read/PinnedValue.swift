public import Synchronization

/// A value pinned by a point read. It needs no closure, so the code that uses the value can be inlined into the caller.
/// It has four words, which functions return in registers.
///
/// Unpin it on the thread that pinned it, before any value that the thread pinned earlier.
@safe
public struct PinnedValue {
    /// The value; nil if the key has none, or if nothing was pinned.
    @usableFromInline
    let value: Bytes?
    /// The slot of the read in ``HazardPointers``; nil if nothing was pinned.
    @usableFromInline
    let slot: UnsafeMutablePointer<Atomic<UInt>>?
    /// What the slot holds after the read.
    @usableFromInline
    let outer: UInt

    /// Ends the read, as ``HazardPointers/leave(_:)`` does.
    /// - Returns: true if the engine must finish it (``HazardPointers/finish(_:)``).
    @inlinable
    func end() -> Bool {
        guard let slot = unsafe slot else { return false }
        unsafe slot.pointee.store(outer, ordering: .releasing)
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        return unsafe (slot + 1).pointee.load(ordering: .relaxed) != 0
    }

    @inline(__always)
    init(_ found: QuickFind, _ reading: HazardPointers.Guard) {
        value = found.value
        unsafe slot = unsafe reading.slot.assumingMemoryBound(to: Atomic<UInt>.self)
        outer = reading.outer
    }

    @inline(__always)
    private init() {
        value = nil
        unsafe slot = nil
        outer = 0
    }

    /// The result of a read that pinned nothing: only the slow path can tell whether there is a value.
    static var unclear: PinnedValue { PinnedValue() }

    /// Whether nothing was pinned, so that there is nothing to unpin.
    @inlinable
    var isUnclear: Bool { unsafe slot == nil }
}
