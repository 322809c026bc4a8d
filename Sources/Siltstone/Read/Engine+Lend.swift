public import Synchronization

/// A value that a point read pins without a closure, so that what is done with it becomes part of the caller. Four words,
/// which functions return in registers.
///
/// Unpinned on the same thread, and before any value that was pinned earlier.
public struct PinnedValue {
    @usableFromInline
    let address: UnsafeRawPointer?
    @usableFromInline
    let count: Int
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
    func end() { slot?.pointee.store(before, ordering: .releasing) }

    @inline(__always)
    fileprivate init(_ found: QuickFind, _ reading: ViewPublisher.Guard) {
        address = found.address
        count = found.count
        slot = reading.slot.assumingMemoryBound(to: Atomic<UInt64>.self)
        before = reading.before
    }

    @inline(__always)
    private init() {
        address = nil
        count = 0
        slot = nil
        before = 0
    }

    /// Nothing was lent, and only a longer look will tell whether there is a value.
    static var unclear: PinnedValue { PinnedValue() }

    /// Whether nothing was lent, and nothing is to be taken back.
    @inlinable
    var isUnclear: Bool { slot == nil }

    /// The value; nil where the key has none.
    @inlinable
    var value: Bytes? { address.map { Bytes(start: $0, count: count) } }
}

extension Engine {
    /// Looks for the value of `key` as `sequence` sees it, or as is visible now, where it is in most cases.
    ///
    /// In as few instructions as can be: while the processor waits for the memory of one read it begins with the next, if
    /// that is not too far ahead (some 300 instructions).
    @inline(__always)
    func lend(_ key: Bytes, at sequence: SequenceNumber? = nil) -> PinnedValue {
        let reading = views.enter()
        // After the view: what the view has dropped is then hidden by something that this number sees.
        let visible = sequence ?? visible.load(ordering: .acquiring)
        let plan = reading.view._withUnsafeGuaranteedRef { $0.plan }
        if _fastPath(plan.isQuick) {
            let found = plan.find(SearchKey(key), visible: visible)
            if _fastPath(!found.isUnclear && !isStopping.load(ordering: .relaxed)) {
                return PinnedValue(found, reading)
            }
        }
        views.abandon(reading)
        return .unclear
    }

    /// Ends what ``lend(_:at:)`` has begun.
    @inline(__always)
    func takeBack(_ loan: PinnedValue) {
        if loan.isShared { views.leaveShared() } else { loan.end() }
    }
}
