import Dispatch
import Synchronization

/// Publishes the current ``SuperVersion`` to readers without a lock, and releases each replaced one after its last reader.
///
/// Uses hazard pointers (Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects", 2004). A reader stores
/// the super version in a slot that belongs to its thread, and then checks that it is still the current one. A replaced
/// super version is released when no slot holds it. So a reader that takes long keeps what it reads, and nothing newer.
/// Epochs, which name a time instead of a super version, would keep every super version since.
///
/// A reader must store before it checks. A fence between the two steps would cost as much as half a read: it waits for
/// all earlier loads, so the cache misses of one read could not overlap with those of the next. Therefore the releasing
/// thread does the fencing: it makes the system run a fence on every thread of the process (membarrier(2); Desnoyers et
/// al., "User-level implementations of read-copy update", 2012). Two alternatives measured slower: a lock around a
/// strong reference, and counters shared by threads. Both need two locked operations for each read.
///
/// A read retains its super version under a lock instead if its thread has no number, or if the slot is in use by an
/// outer read of an older super version.
///
/// `@unchecked Sendable`: the slots are atomics at fixed addresses.
@safe
final class HazardPointers: @unchecked Sendable {
    /// Two cache lines, because the prefetcher loads lines in pairs. With one line for each slot, neighbouring slots
    /// would still contend.
    private static let slotBytes = 128

    /// The current super version, retained.
    private let latest: AtomicBorrowed<SuperVersion>
    private let threads = ThreadNumbers.shared
    /// One slot for each thread number, and a last one for all reads that retain their super version.
    private let slots: UnsafeMutableRawPointer
    /// True if the platform cannot fence other threads, so that each reader must run a fence itself.
    private let readersFence = !Platform.canFenceThreads
    /// Super versions that were replaced and are not released yet, all of them retained.
    private let replaced = Locked<[Borrowed<SuperVersion>]>([], rank: .leaf)
    private let retirementScheduled = Atomic<Bool>(false)

    static let retirementQueue = DispatchQueue(label: "siltstone.retirement", qos: .utility)

    /// The contents of one slot. ``PinnedValue`` knows the first two words.
    @safe
    private struct Slot {
        let address: UnsafeMutableRawPointer

        /// The address of the super version that the thread reads; 0 if it does not read.
        @inline(__always)
        var held: UnsafeMutablePointer<Atomic<UInt>> { unsafe address.assumingMemoryBound(to: Atomic<UInt>.self) }

        /// A ``Notice``; 0 if a reader that leaves the slot has nothing else to do.
        @inline(__always)
        var notice: UnsafeMutablePointer<Atomic<UInt>> { unsafe held + 1 }

        /// The number of reads that were started in this slot.
        @inline(__always)
        var count: UnsafeMutablePointer<Atomic<UInt>> { unsafe held + 2 }
    }

    /// Why a reader calls ``finish(_:_:)`` after it has left its slot.
    private enum Notice {
        /// Its super version was replaced, and waits for the reader.
        static let awaited: UInt = 1
        /// It must run a fence before it looks for the other notice, or it has retained its super version.
        static let always: UInt = 2
    }

    init(_ superVersion: SuperVersion) {
        latest = AtomicBorrowed(.retaining(superVersion))
        let size = (ThreadNumbers.limit + 1) * Self.slotBytes
        unsafe slots = .allocate(byteCount: size, alignment: Self.slotBytes)
        unsafe slots.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        unsafe retainingSlot.notice.pointee.store(Notice.always, ordering: .relaxed)
        guard readersFence else { return }
        for number in 0..<ThreadNumbers.limit {
            unsafe slot(number).notice.pointee.store(Notice.always, ordering: .relaxed)
        }
    }

    deinit {
        // No reader is left. The end of a super version takes leaf locks, so it comes after this lock is released.
        let left = replaced.withLock { $0 }
        for superVersion in left { superVersion.release() }
        latest.load()?.release()
        unsafe slots.deallocate()
    }

    @inline(__always)
    private func slot(_ number: Int) -> Slot { unsafe Slot(address: slots + number &* Self.slotBytes) }

    private var retainingSlot: Slot { slot(ThreadNumbers.limit) }

    // MARK: Reading

    /// The state of one read. The reader passes it to ``leave(_:)`` on the same thread. Reads may nest.
    @safe
    struct Guard {
        let slot: UnsafeMutableRawPointer
        /// What the slot held before the read: 0, or the super version of an outer read. If the read has retained its
        /// super version, that one.
        let outer: UInt
        let superVersion: Borrowed<SuperVersion>
    }

    /// Starts a read. Waits for no other reader and for no publication, except that a read which retains its super version
    /// takes a leaf lock. If the thread has no number yet, takes another leaf lock for a moment (``ThreadNumbers``).
    @inline(__always)
    func enter() -> Guard {
        guard let number = threads.current else { return enterRetaining() }
        let slot = slot(number)
        let outer = unsafe slot.held.pointee.load(ordering: .relaxed)
        let superVersion = unsafe latest.load().unsafelyUnwrapped
        if outer == 0 { unsafe slot.held.pointee.store(superVersion.bits, ordering: .relaxed) }
        if readersFence { atomicMemoryFence(ordering: .sequentiallyConsistent) }
        // Keeps the compiler from reordering the store and the load. On x86 this emits no instruction.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        // A nested read of the same super version relies on the outer one.
        guard _fastPath(outer == 0 ? latest.load() == superVersion : outer == superVersion.bits) else {
            unsafe leave(slot.address, outer)
            return enterRetaining()
        }
        unsafe slot.count.pointee.store(slot.count.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        return unsafe Guard(slot: slot.address, outer: outer, superVersion: superVersion)
    }

    /// Starts a read that retains its super version.
    @inline(never)
    private func enterRetaining() -> Guard {
        // Publications take the same lock, so the super version cannot be released before it is retained.
        let superVersion = replaced.withLock { _ in Borrowed.retaining(unsafe latest.load().unsafelyUnwrapped.object) }
        unsafe retainingSlot.count.pointee.add(1, ordering: .relaxed)
        return unsafe Guard(slot: retainingSlot.address, outer: superVersion.bits, superVersion: superVersion)
    }

    /// Ends a read.
    @inline(__always)
    func leave(_ reading: Guard) { unsafe leave(reading.slot, reading.outer) }

    /// Ends a read. ``PinnedValue/end()`` does the same.
    @inline(__always)
    private func leave(_ address: UnsafeMutableRawPointer, _ outer: UInt) {
        let slot = unsafe Slot(address: address)
        unsafe slot.held.pointee.store(outer, ordering: .releasing)
        // As in ``enter()``: the notice is loaded after the store.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        if _slowPath(unsafe slot.notice.pointee.load(ordering: .relaxed) != 0) { unsafe finish(address, outer) }
    }

    /// Finishes the read of a value whose ``PinnedValue/end()`` has returned true.
    func finish(_ value: PinnedValue) {
        if let slot = unsafe value.slot { unsafe finish(slot, value.outer) }
    }

    /// Does what a reader has to do that has left its slot and has found a notice there.
    @inline(never)
    private func finish(_ address: UnsafeMutableRawPointer, _ outer: UInt) {
        let slot = unsafe Slot(address: address)
        if unsafe address == retainingSlot.address {
            Borrowed<SuperVersion>(bits: outer)?.release()
            return
        }
        if readersFence { atomicMemoryFence(ordering: .sequentiallyConsistent) }
        guard outer == 0, unsafe slot.notice.pointee.load(ordering: .relaxed) & Notice.awaited != 0 else { return }
        // Cleared before the super version is looked for, so a notice that comes meanwhile loses nothing.
        unsafe slot.notice.pointee.store(readersFence ? Notice.always : 0, ordering: .relaxed)
        retireSoon()
    }

    /// Ends a read that the caller will start again. It is not counted.
    func abandon(_ reading: Guard) {
        unsafe Slot(address: reading.slot).count.pointee.subtract(1, ordering: .relaxed)
        leave(reading)
    }

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
            unsafe sum &+ UInt64(slot(number).count.pointee.load(ordering: .relaxed))
        }
    }

    // MARK: Publishing

    /// Makes `superVersion` the current super version for all reads that start from now on. The caller calls
    /// ``retire()`` afterwards, off the hot path.
    func publish(_ superVersion: SuperVersion) {
        replaced.withLock { replaced in
            replaced.append(unsafe latest.exchange(.retaining(superVersion)).unsafelyUnwrapped)
        }
    }

    /// The number of replaced super versions that are not released yet.
    var replacedCount: Int { replaced.withLock { $0.count } }

    /// Releases the replaced super versions that no reader uses. Waits for no reader, because a reader may itself wait for
    /// the work that called this. Instead, the last reader of a super version sees to its release. Must not be called
    /// under the write lock, because releasing files and memtables may take long.
    ///
    /// If the system refuses to fence the threads, all of them stay until the next call.
    func retire() {
        let unused = replaced.withLock { replaced -> [Borrowed<SuperVersion>] in
            // After the fence, every reader that has found one of them current is visible in its slot.
            guard !replaced.isEmpty, fenceReaders() else { return [] }
            let slots = (0..<threads.bound).map { slot($0) }
            let all = Set(replaced.map(\.bits))
            let holders = slots.filter { all.contains(unsafe $0.held.pointee.load(ordering: .acquiring)) }
            if !holders.isEmpty {
                for slot in holders { unsafe slot.notice.pointee.bitwiseOr(Notice.awaited, ordering: .relaxed) }
                // After this fence, a reader has left its slot, or it will find the notice.
                guard fenceReaders() else { return [] }
            }
            let held = Set(holders.map { unsafe $0.held.pointee.load(ordering: .acquiring) })
            let unused = replaced.filter { !held.contains($0.bits) }
            replaced.removeAll { !held.contains($0.bits) }
            return unused
        }
        for superVersion in unused { superVersion.release() }
    }

    /// Like ``retire()``, but on another thread: for a reader.
    func retireSoon() {
        if retirementScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        // The closure keeps this object alive, but not the engine, so the lock of the directory can be released.
        Self.retirementQueue.async {
            self.retirementScheduled.store(false, ordering: .releasing)
            self.retire()
        }
    }

    private func fenceReaders() -> Bool {
        guard readersFence else { return Platform.fenceThreads() }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return true
    }
}
