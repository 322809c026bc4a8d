import CInstructions
import Synchronization

/// Numbers for threads: each has one of its own from when it first asks until it ends, and nobody shares it meanwhile.
///
/// What is kept for each thread in an array, by its number, is written by one thread only, and so by plain stores.
final class ThreadNumbers: Sendable {
    static let shared = ThreadNumbers()

    /// Threads that can have a number at the same time.
    static let limit = 256

    private struct State {
        /// Numbers that were given back.
        var free: [Int] = []
        var bound = 0
    }

    /// Holds a thread's number plus one, to be told when the thread ends; 0 for none.
    private let local = unsafe Platform.ThreadLocal { ThreadNumbers.shared.giveBack(Int(bitPattern: $0) - 1) }
    private let state = Locked(State())
    private let usedBound = Atomic<Int>(0)

    private init() {}

    /// Every number that was ever given is below this.
    var bound: Int { usedBound.load(ordering: .acquiring) }

    /// The calling thread's number; nil where there are too many threads.
    @inline(__always)
    var current: Int? {
        let number = Self.word
        return number > 0 ? number &- 1 : take()
    }

    /// What ``local`` holds of the calling thread, where it is read in a third of the time.
    ///
    /// Not inlined, neither way: other object files have other words.
    private static var word: Int {
        @inline(never) get { unsafe siltstone_thread_word().pointee }
        @inline(never) set { unsafe siltstone_thread_word().pointee = newValue }
    }

    /// Not inlined: once for each thread.
    @inline(never)
    private func take() -> Int? {
        // It has one where its word was lost, or is another object file's.
        let held = local.value
        if held > 0 {
            Self.word = held
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
            Self.word = number + 1
        }
        return number
    }

    /// On the thread that ends.
    private func giveBack(_ number: Int) {
        Self.word = 0
        state.withLock { $0.free.append(number) }
    }
}
