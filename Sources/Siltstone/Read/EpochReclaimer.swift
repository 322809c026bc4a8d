import Synchronization

/// Publishes the current ``SuperVersion`` to readers without a lock, and releases replaced ones after their last
/// reader.
///
/// Uses epoch-based reclamation (Fraser, "Practical lock-freedom", 2004). A reader stores the current epoch in a slot
/// that belongs to its thread, and then loads the pointer. A thread that retires super versions advances the epoch, and
/// releases them when no slot holds the old epoch or an earlier one.
///
/// A reader must store the epoch before it loads the pointer. A fence between the two steps would cost as much as half
/// a read: it waits for all earlier loads, so the cache misses of one read could not overlap with those of the next.
/// Therefore the retiring thread does the fencing: it makes the system run a fence on every thread of the process
/// (membarrier(2); Desnoyers et al., "User-level implementations of read-copy update", 2012). Two alternatives measured
/// slower: a lock around a strong reference, and counters shared by threads. Both need two locked operations for each
/// read.
///
/// `@unchecked Sendable`: the slots are atomics at fixed addresses.
@safe
final class EpochReclaimer: @unchecked Sendable {
    /// Two cache lines, because the prefetcher loads lines in pairs. With one line for each slot, neighbouring slots
    /// would still contend.
    private static let slotBytes = 128

    /// The current super version, retained.
    private let latest: AtomicBorrowed<SuperVersion>
    /// The current epoch, from 1: 0 in a slot means that its thread does not read.
    private let epoch = Atomic<UInt64>(1)
    private let threads = ThreadNumbers.shared
    /// One slot for each thread number, and a last one shared by all threads without a number.
    private let slots: UnsafeMutableRawPointer
    /// True if the platform cannot fence other threads, so that each reader must run a fence itself.
    private let readersFence = !Platform.canFenceThreads
    private let retirement = Locked(Retirement(), rank: .leaf)

    /// The contents of one slot.
    @safe
    private struct Slot {
        let address: UnsafeMutableRawPointer

        /// The epoch under which the thread reads; 0 if it does not read. In the shared slot: the number of reads in
        /// progress.
        @inline(__always)
        var reading: UnsafeMutablePointer<Atomic<UInt64>> {
            unsafe address.assumingMemoryBound(to: Atomic<UInt64>.self)
        }

        /// The number of reads that were started in this slot.
        @inline(__always)
        var count: UnsafeMutablePointer<Atomic<UInt64>> {
            unsafe (address + 8).assumingMemoryBound(to: Atomic<UInt64>.self)
        }
    }

    init(_ superVersion: SuperVersion) {
        latest = AtomicBorrowed(.retaining(superVersion))
        let size = (ThreadNumbers.limit + 1) * Self.slotBytes
        unsafe slots = .allocate(byteCount: size, alignment: Self.slotBytes)
        unsafe slots.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    }

    deinit {
        // No reader is left. The end of a super version takes leaf locks, so it comes after this lock is released.
        let left = retirement.withLock { $0.waiting + $0.leaving }
        for retired in left { retired.release() }
        latest.load()?.release()
        unsafe slots.deallocate()
    }

    @inline(__always)
    private func slot(_ number: Int) -> Slot { unsafe Slot(address: slots + number &* Self.slotBytes) }

    private var sharedSlot: Slot { slot(ThreadNumbers.limit) }

    // MARK: Reading

    /// The state of one read. The reader passes it to ``leave(_:)`` on the same thread. Reads may nest.
    @safe
    struct Guard {
        let slot: UnsafeMutableRawPointer
        /// The contents of the slot before the read; ``EpochReclaimer/isShared`` if the slot is the shared one.
        let before: UInt64
        let superVersion: Borrowed<SuperVersion>
    }

    /// Stands for the shared slot in ``Guard/before``. The same value marks a pinned value (``PinnedValue/isShared``), so
    /// that inlined code can tell without a call.
    private static let isShared = PinnedValue.mark

    /// Starts a read. Waits for no other reader and for no publication. If the thread has no number yet, takes a leaf
    /// lock for a moment (``ThreadNumbers``).
    @inline(__always)
    func enter() -> Guard {
        guard let number = threads.current else { return enterShared() }
        let slot = slot(number)
        let before = unsafe slot.reading.pointee.load(ordering: .relaxed)
        // A nested read keeps the epoch of the outer one, which also protects newer super versions.
        if before == 0 { unsafe slot.reading.pointee.store(epoch.load(ordering: .relaxed), ordering: .relaxed) }
        unsafe slot.count.pointee.store(slot.count.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        if readersFence { atomicMemoryFence(ordering: .sequentiallyConsistent) }
        // Keeps the compiler from reordering the store and the load, and on ARM the processor from loading the super
        // version before the epoch. On x86 this emits no instruction.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        return unsafe Guard(slot: slot.address, before: before, superVersion: latest.load().unsafelyUnwrapped)
    }

    /// Ends a read.
    @inline(__always)
    func leave(_ reading: Guard) {
        if _slowPath(reading.before == Self.isShared) { return leaveShared() }
        unsafe Slot(address: reading.slot).reading.pointee.store(reading.before, ordering: .releasing)
    }

    /// Ends a read that the caller will start again. It is not counted.
    func abandon(_ reading: Guard) {
        if reading.before == Self.isShared {
            unsafe sharedSlot.count.pointee.subtract(1, ordering: .relaxed)
        } else {
            let count = unsafe Slot(address: reading.slot).count
            unsafe count.pointee.store(count.pointee.load(ordering: .relaxed) &- 1, ordering: .relaxed)
        }
        leave(reading)
    }

    /// Starts a read on a thread that has no number. No super version is released while any of these threads reads.
    @inline(never)
    private func enterShared() -> Guard {
        unsafe sharedSlot.reading.pointee.add(1, ordering: .sequentiallyConsistent)
        unsafe sharedSlot.count.pointee.add(1, ordering: .relaxed)
        let superVersion = unsafe latest.loadInOrder().unsafelyUnwrapped
        return unsafe Guard(slot: sharedSlot.address, before: Self.isShared, superVersion: superVersion)
    }

    /// Ends a read in the shared slot.
    @inline(never)
    func leaveShared() { unsafe sharedSlot.reading.pointee.subtract(1, ordering: .releasing) }

    /// Returns the current super version, retained, for reads that last long.
    func current() -> SuperVersion {
        let reading = enter()
        defer { leave(reading) }
        return reading.superVersion.object
    }

    /// Whether a super version is the current one. A super version that was replaced never becomes current again; the
    /// caller must keep it alive, so that no other one can have its address.
    @inline(__always)
    func isCurrent(_ superVersion: Borrowed<SuperVersion>) -> Bool {
        latest.loadInOrder() == superVersion
    }

    /// The number of reads started so far.
    var readCount: UInt64 {
        ([ThreadNumbers.limit] + (0..<threads.bound)).reduce(0) { sum, number in
            unsafe sum &+ slot(number).count.pointee.load(ordering: .relaxed)
        }
    }

    // MARK: Publishing

    /// Super versions that were replaced and are not released yet.
    private struct Retirement: Sendable {
        /// Those for which the epoch has not been advanced yet.
        var waiting: [Borrowed<SuperVersion>] = []
        /// Those that readers may still use which have entered in ``epoch`` or before.
        var leaving: [Borrowed<SuperVersion>] = []
        /// The epoch that ended when those in ``leaving`` stopped waiting.
        var epoch: UInt64 = 0
    }

    /// Makes `superVersion` the current super version for all reads that start from now on.
    /// - Returns: the previous one, retained, which readers may still use. The caller must pass it to ``retire(_:)``,
    ///   off the hot path.
    func publish(_ superVersion: SuperVersion) -> Borrowed<SuperVersion> {
        unsafe latest.exchange(.retaining(superVersion)).unsafelyUnwrapped
    }

    /// Releases retired super versions whose readers have left. It does not wait for the other readers, because a
    /// reader may itself wait for the work that called this.
    /// - Returns: whether none is left. If false, the caller must call this again later.
    func retire(_ replaced: [Borrowed<SuperVersion>]) -> Bool {
        let (released, isDone) = retirement.withLock { retirement -> ([Borrowed<SuperVersion>], Bool) in
            retirement.waiting += replaced
            var released: [Borrowed<SuperVersion>] = []
            // The first round handles those that already wait for their readers, the second those that were added
            // since.
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
        for retired in released { retired.release() }
        return isDone
    }

    /// Whether every reader of epoch `old` or an earlier one has left. Reads are short, so this yields up to 99 times
    /// for a slot that is still in use before it returns false.
    private func haveLeft(_ old: UInt64) -> Bool {
        // Runs before the slots are read. After it, the epoch of every reader that may have loaded the old pointer is
        // visible.
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
