import Synchronization

/// Hands the current ``ReadView`` to readers without a lock, and gives old ones up when nobody reads them any more.
///
/// Epoch-based reclamation (Fraser, "Practical lock-freedom", 2004) with two epochs: a reader counts itself in under
/// the current epoch, in a slot that it shares with few other threads, and takes the pointer. Whoever gives old views
/// up turns the epoch, and releases them once the count of the old epoch has fallen to zero. A lock around a strong
/// reference lost: two readers on two cores then pass its cache line back and forth at every read.
///
/// `@unchecked Sendable`: the slots are atomics at fixed addresses.
final class ViewPublisher: @unchecked Sendable {
    private static let slotCount = 16
    /// Two cache lines, so that the prefetcher of neighbouring lines does not join what was kept apart.
    private static let slotBytes = 128

    /// The current view, retained.
    private let pointer: Atomic<UnsafeRawPointer>
    private let epoch = Atomic<UInt>(0)
    private let slots: UnsafeMutableRawPointer
    private let retirement = Locked(Retirement())

    init(_ view: ReadView) {
        pointer = Atomic(UnsafeRawPointer(Unmanaged.passRetained(view).toOpaque()))
        slots = .allocate(byteCount: Self.slotCount * Self.slotBytes, alignment: Self.slotBytes)
        slots.initializeMemory(as: UInt8.self, repeating: 0, count: Self.slotCount * Self.slotBytes)
    }

    deinit {
        // Nobody reads any more.
        retirement.withLock { for retired in $0.waiting + $0.leaving { retired.view.release() } }
        Unmanaged<ReadView>.fromOpaque(pointer.load(ordering: .acquiring)).release()
        slots.deallocate()
    }

    /// What a reader keeps until it is done.
    struct Guard {
        fileprivate let counter: UnsafeMutableRawPointer
        let view: Unmanaged<ReadView>
    }

    /// In a slot: counts of readers that came in, and went out, under epoch 0 and 1.
    private func counter(_ slot: Int, _ epoch: UInt) -> UnsafeMutableRawPointer {
        let offset = (slot &* Self.slotBytes) &+ (Int(epoch & 1) &* 16)
        return slots + offset
    }

    @inline(__always)
    private static func atomic(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt64>> {
        address.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Begins a read. Never blocks.
    @inline(__always)
    func enter() -> Guard {
        let slot = Platform.threadHash & (Self.slotCount - 1)
        while true {
            let now = epoch.load(ordering: .relaxed)
            let counter = counter(slot, now)
            Self.atomic(counter).pointee.add(1, ordering: .sequentiallyConsistent)
            // Only if the epoch still stands is the count sure to be seen by whoever turns it.
            if epoch.load(ordering: .sequentiallyConsistent) == now {
                let view = pointer.load(ordering: .acquiring)
                return Guard(counter: counter, view: .fromOpaque(view))
            }
            Self.atomic(counter + 8).pointee.add(1, ordering: .releasing)
        }
    }

    /// Ends a read.
    @inline(__always)
    func leave(_ reading: Guard) { Self.atomic(reading.counter + 8).pointee.add(1, ordering: .releasing) }

    /// The current view, retained: for reads that last.
    func current() -> ReadView {
        let reading = enter()
        defer { leave(reading) }
        return reading.view.takeUnretainedValue()
    }

    /// Reads that were begun so far.
    var readCount: UInt64 {
        var sum: UInt64 = 0
        for slot in 0..<Self.slotCount {
            sum &+= Self.atomic(counter(slot, 0)).pointee.load(ordering: .relaxed)
            sum &+= Self.atomic(counter(slot, 1)).pointee.load(ordering: .relaxed)
        }
        return sum
    }

    /// Views that are current no more and not released yet.
    private struct Retirement: Sendable {
        /// Those for which the epoch has not been turned yet.
        var waiting: [Retired] = []
        /// Those that the readers of the epoch before may still read.
        var leaving: [Retired] = []
    }

    /// Makes `view` the current one, for all reads that begin from now on.
    /// - Returns: the view before, which may still be read: to be given to ``retire(_:)``, off the hot path.
    func publish(_ view: ReadView) -> Retired {
        let new = UnsafeRawPointer(Unmanaged.passRetained(view).toOpaque())
        return Retired(view: .fromOpaque(pointer.exchange(new, ordering: .sequentiallyConsistent)))
    }

    /// A view that is current no more. Plain bits: whoever holds it owes a call of ``retire(_:)``.
    struct Retired: @unchecked Sendable {  // an address that only `retire` looks behind
        fileprivate let view: Unmanaged<ReadView>
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
                    epoch.store(epoch.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
                }
                // Until they have left, the epoch must not turn again, or their count would mix with that of others.
                guard haveLeft(epoch.load(ordering: .relaxed) &- 1) else { break }
                released += retirement.leaving
                retirement.leaving = []
            }
            return (released, retirement.leaving.isEmpty && retirement.waiting.isEmpty)
        }
        for retired in released { retired.view.release() }
        return isDone
    }

    /// Whether no reader of an epoch that is over is left. Reads are short, so this gives them a moment.
    private func haveLeft(_ old: UInt) -> Bool {
        for slot in 0..<Self.slotCount {
            let counter = counter(slot, old)
            var rounds = 0
            while true {
                // Out before in: a reader that leaves between the two loads makes the counts differ, not agree.
                let out = Self.atomic(counter + 8).pointee.load(ordering: .acquiring)
                let come = Self.atomic(counter).pointee.load(ordering: .sequentiallyConsistent)
                if out == come { break }
                rounds += 1
                if rounds == 100 { return false }
                Platform.yieldThread()
            }
        }
        return true
    }
}
