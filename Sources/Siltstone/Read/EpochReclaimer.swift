import Synchronization

/// Hands the current ``SuperVersion`` to readers without a lock, and gives old ones up when nobody reads them any more.
///
/// Epoch-based reclamation (Fraser, "Practical lock-freedom", 2004): a reader notes the epoch in a slot that is its
/// thread's own, and takes the pointer. Whoever gives old views up turns the epoch, and releases them once no slot
/// holds the old one any more.
///
/// A reader's two steps must not change places, and a fence between them would cost as much as half a read: it waits
/// for all loads before it, so that the cache misses of one read could not overlap with those of the next. So the fence
/// is on the other side: whoever turns the epoch has the system make every thread of the process pass one (membarrier(2);
/// Desnoyers et al., "User-level implementations of read-copy update", 2012). A lock around a strong reference lost, and
/// counters that threads share did: both are locked operations, two for each read.
///
/// `@unchecked Sendable`: the slots are atomics at fixed addresses.
@safe
final class EpochReclaimer: @unchecked Sendable {
    /// Two cache lines, so that the prefetcher of neighbouring lines does not join what was kept apart.
    private static let slotBytes = 128

    /// The current view, retained.
    private let latest: AtomicBorrowed<SuperVersion>
    private let epoch = Atomic<UInt64>(1)
    private let threads = ThreadNumbers.shared
    /// One for each thread number, and one for all threads that have none.
    private let slots: UnsafeMutableRawPointer
    /// Whether readers have to pass a fence themselves.
    private let readersFence = !Platform.canFenceThreads
    private let retirement = Locked(Retirement(), rank: .leaf)

    /// What a slot holds.
    @safe
    private struct Slot {
        let address: UnsafeMutableRawPointer

        /// The epoch under which the thread reads; 0 where it does not. In the shared slot: how many read.
        @inline(__always)
        var reading: UnsafeMutablePointer<Atomic<UInt64>> {
            unsafe address.assumingMemoryBound(to: Atomic<UInt64>.self)
        }

        /// Reads that were begun.
        @inline(__always)
        var count: UnsafeMutablePointer<Atomic<UInt64>> {
            unsafe (address + 8).assumingMemoryBound(to: Atomic<UInt64>.self)
        }
    }

    init(_ view: SuperVersion) {
        latest = AtomicBorrowed(.retaining(view))
        let size = (ThreadNumbers.limit + 1) * Self.slotBytes
        unsafe slots = .allocate(byteCount: size, alignment: Self.slotBytes)
        unsafe slots.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    }

    deinit {
        // Nobody reads any more.
        retirement.withLock { for retired in $0.waiting + $0.leaving { retired.view.release() } }
        latest.load()?.release()
        unsafe slots.deallocate()
    }

    @inline(__always)
    private func slot(_ number: Int) -> Slot { unsafe Slot(address: slots + number &* Self.slotBytes) }

    private var sharedSlot: Slot { slot(ThreadNumbers.limit) }

    // MARK: Reading

    /// What a reader keeps until it is done, on the same thread. Guards may be nested.
    @safe
    struct Guard {
        let slot: UnsafeMutableRawPointer
        /// What the slot held before; in the shared slot, the mark of that.
        let before: UInt64
        let view: Borrowed<SuperVersion>
    }

    private static let isShared = PinnedValue.mark

    /// Begins a read. Never blocks.
    @inline(__always)
    func enter() -> Guard {
        guard let number = threads.current else { return enterShared() }
        let slot = slot(number)
        let before = unsafe slot.reading.pointee.load(ordering: .relaxed)
        // A read within a read goes by the epoch of the outer one, which protects what is newer, too.
        if before == 0 { unsafe slot.reading.pointee.store(epoch.load(ordering: .relaxed), ordering: .relaxed) }
        unsafe slot.count.pointee.store(slot.count.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        if readersFence { atomicMemoryFence(ordering: .sequentiallyConsistent) }
        // Keeps the compiler from changing the order; costs nothing on x86.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        return unsafe Guard(slot: slot.address, before: before, view: latest.load().unsafelyUnwrapped)
    }

    /// Ends a read.
    @inline(__always)
    func leave(_ reading: Guard) {
        if _slowPath(reading.before == Self.isShared) { return leaveShared() }
        unsafe Slot(address: reading.slot).reading.pointee.store(reading.before, ordering: .releasing)
    }

    /// Ends a read that has come to nothing and is begun again: it does not count.
    func abandon(_ reading: Guard) {
        // Before the slot is left: it may be another thread's afterwards.
        if reading.before == Self.isShared {
            unsafe sharedSlot.count.pointee.subtract(1, ordering: .relaxed)
        } else {
            let count = unsafe Slot(address: reading.slot).count
            unsafe count.pointee.store(count.pointee.load(ordering: .relaxed) &- 1, ordering: .relaxed)
        }
        leave(reading)
    }

    /// For threads without a number of their own. As long as any of them reads, nothing is released.
    @inline(never)
    private func enterShared() -> Guard {
        unsafe sharedSlot.reading.pointee.add(1, ordering: .sequentiallyConsistent)
        unsafe sharedSlot.count.pointee.add(1, ordering: .relaxed)
        let view = unsafe latest.loadInOrder().unsafelyUnwrapped
        return unsafe Guard(slot: sharedSlot.address, before: Self.isShared, view: view)
    }

    @inline(never)
    func leaveShared() { unsafe sharedSlot.reading.pointee.subtract(1, ordering: .releasing) }

    /// The current view, retained: for reads that last.
    func current() -> SuperVersion {
        let reading = enter()
        defer { leave(reading) }
        return reading.view.object
    }

    /// Whether a view is the current one. A view that is kept and was replaced is never current again.
    @inline(__always)
    func isCurrent(_ view: Borrowed<SuperVersion>) -> Bool {
        latest.loadInOrder() == view
    }

    /// Reads that were begun so far.
    var readCount: UInt64 {
        ([ThreadNumbers.limit] + (0..<threads.bound)).reduce(0) { sum, number in
            unsafe sum &+ slot(number).count.pointee.load(ordering: .relaxed)
        }
    }

    // MARK: Publishing

    /// Views that are current no more and not released yet.
    private struct Retirement: Sendable {
        /// Those for which the epoch has not been turned yet.
        var waiting: [Retired] = []
        /// Those that the readers of ``epoch`` and before may still read.
        var leaving: [Retired] = []
        var epoch: UInt64 = 0
    }

    /// Makes `view` the current one, for all reads that begin from now on.
    /// - Returns: the view before, which may still be read: to be given to ``retire(_:)``, off the hot path.
    func publish(_ view: SuperVersion) -> Retired {
        unsafe Retired(view: latest.exchange(.retaining(view)).unsafelyUnwrapped)
    }

    /// A view that is current no more. Plain bits: whoever holds it owes a call of ``retire(_:)``.
    struct Retired: @unchecked Sendable {  // an address that only `retire` looks behind
        fileprivate let view: Borrowed<SuperVersion>
    }

    /// Releases retired views whose readers have left, without waiting for the others: a reader may itself be waiting
    /// for the work that has come here.
    /// - Returns: whether none is left; if not, this is to be called again later.
    func retire(_ views: [Retired]) -> Bool {
        let (released, isDone) = retirement.withLock { retirement -> ([Retired], Bool) in
            retirement.waiting += views
            var released: [Retired] = []
            // One round for those that wait for their readers already, one for those that have come since.
            for _ in 0..<2 {
                if retirement.leaving.isEmpty {
                    if retirement.waiting.isEmpty { break }
                    swap(&retirement.leaving, &retirement.waiting)
                    retirement.epoch = epoch.load(ordering: .relaxed)
                    epoch.store(retirement.epoch &+ 1, ordering: .sequentiallyConsistent)
                }
                guard haveLeft(retirement.epoch) else { break }
                released += retirement.leaving
                retirement.leaving = []
            }
            return (released, retirement.leaving.isEmpty && retirement.waiting.isEmpty)
        }
        for retired in released { retired.view.release() }
        return isDone
    }

    /// Whether no reader of an epoch that is over, or of one before it, is left. Reads are short, so this gives them a
    /// moment.
    private func haveLeft(_ old: UInt64) -> Bool {
        // Before the slots are looked at: who has taken the old pointer, and not passed this, has noted the epoch visibly.
        if readersFence {
            atomicMemoryFence(ordering: .sequentiallyConsistent)
        } else if !Platform.fenceThreads() {
            return false
        }
        for number in [ThreadNumbers.limit] + (0..<threads.bound) {
            var rounds = 0
            while true {
                let reading = unsafe slot(number).reading.pointee.load(ordering: .acquiring)
                if reading == 0 || number < ThreadNumbers.limit && reading > old { break }
                rounds += 1
                if rounds == 100 { return false }
                Platform.yieldThread()
            }
        }
        return true
    }
}
