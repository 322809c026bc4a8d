public import Synchronization

/// A value that a point read pins without a closure, so that what is done with it becomes part of the caller. Four words,
/// which functions return in registers.
///
/// Unpinned on the same thread, and before any value that was pinned earlier.
@safe
public struct PinnedValue {
    /// The value; nil where the key has none.
    @usableFromInline
    let value: Bytes?
    /// Where the reader has noted that it reads; nil where nothing was lent.
    @usableFromInline
    let slot: UnsafeMutablePointer<Atomic<UInt64>>?
    /// What was noted there before.
    @usableFromInline
    let before: UInt64

    /// What was noted before, for a reader whose slot is not its own.
    @inlinable
    static var mark: UInt64 { .max }

    /// Whether the reader's slot is not its own, so that the engine has to be told of the end.
    @inlinable
    var isShared: Bool { before == Self.mark }

    /// Ends the read of a reader that has a slot of its own.
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

    /// Nothing was lent, and only a longer look will tell whether there is a value.
    static var unclear: PinnedValue { PinnedValue() }

    /// Whether nothing was lent, and nothing is to be taken back.
    @inlinable
    var isUnclear: Bool { unsafe slot == nil }
}
