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
    /// The slot in which the reader stored its epoch; nil if nothing was pinned.
    @usableFromInline
    let slot: UnsafeMutablePointer<Atomic<UInt64>>?
    /// The contents of the slot before the read.
    @usableFromInline
    let before: UInt64

    /// The contents of ``before`` that mark the slot as shared.
    @inlinable
    static var mark: UInt64 { .max }

    /// Whether the reader used the shared slot, so that the engine must end the read.
    @inlinable
    var isShared: Bool { before == Self.mark }

    /// Ends a read in a slot that belongs to the reader's thread.
    @inlinable
    func end() { unsafe slot?.pointee.store(before, ordering: .releasing) }

    @inline(__always)
    init(_ found: QuickFind, _ reading: EpochReclaimer.Guard) {
        value = found.value
        unsafe slot = unsafe reading.slot.assumingMemoryBound(to: Atomic<UInt64>.self)
        before = reading.before
    }

    @inline(__always)
    private init() {
        value = nil
        unsafe slot = nil
        before = 0
    }

    /// The result of a read that pinned nothing: only the slow path can tell whether there is a value.
    static var unclear: PinnedValue { PinnedValue() }

    /// Whether nothing was pinned, so that there is nothing to unpin.
    @inlinable
    var isUnclear: Bool { unsafe slot == nil }
}
