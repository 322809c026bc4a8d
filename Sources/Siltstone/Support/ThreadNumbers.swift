import Synchronization

/// Numbers for threads. A thread gets a number at its first request and keeps it until it ends; no other thread has
/// that number meanwhile.
///
/// An array element that is indexed by the thread's number is written by one thread only, so plain stores suffice.
final class ThreadNumbers: Sendable {
    static let shared = ThreadNumbers()

    /// Number of threads that can have a number at the same time.
    static let limit = 256

    private struct State {
        /// Returned numbers.
        var free: [Int] = []
        /// The next number to take if none is free.
        var bound = 0
    }

    /// Holds the thread's number plus one, or 0 for none. It is passed to the closure when the thread ends.
    /// ``Platform/threadWord`` is a copy for the calling thread, which is read in a third of the time.
    private let local = Platform.ThreadLocal { ThreadNumbers.shared.giveBack(Int(bitPattern: $0) - 1) }
    private let state = Locked(State(), rank: .leaf)
    /// A copy of ``State/bound``, to be read without the lock.
    private let usedBound = Atomic<Int>(0)

    private init() {}

    /// An upper bound: every number that was ever taken is below it.
    var bound: Int { usedBound.load(ordering: .acquiring) }

    /// The calling thread's number; nil if there are too many threads.
    @inline(__always)
    var current: Int? {
        let number = Platform.threadWord
        return number > 0 ? number &- 1 : take()
    }

    /// Takes a number for the calling thread. Not inlined, because it runs once for each thread.
    @inline(never)
    private func take() -> Int? {
        // The thread may have a number although its word is 0: the word was lost, or belongs to another object file.
        let held = local.value
        if held > 0 {
            Platform.threadWord = held
            return held - 1
        }
        let number = state.withLock { state -> Int? in
            if let number = state.free.popLast() { return number }
            guard state.bound < Self.limit else { return nil }
            state.bound += 1
            usedBound.store(state.bound, ordering: .releasing)
            return state.bound - 1
        }
        if let number {
            local.value = number + 1
            Platform.threadWord = number + 1
        }
        return number
    }

    /// Returns a number for reuse. Runs on the thread that ends.
    private func giveBack(_ number: Int) {
        Platform.threadWord = 0
        state.withLock { $0.free.append(number) }
    }
}
