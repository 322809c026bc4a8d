import Synchronization

@testable import Siltstone

/// Records what threads do, with a clock that all of them share.
final class HistoryRecorder: Sendable {
    private let clock = Atomic(0)
    private let lastRevision: Atomic<Revision>
    private let finished = Locked(Recording())

    /// What was recorded.
    struct Recording: Sendable {
        var operations: [Operation] = []
        /// Errors of calls that, as these say, have changed nothing.
        var refusals: [StoreError] = []
        /// What is wrong whatever the history is.
        var problems: [String] = []
    }

    /// - Parameter lastRevision: the greatest revision that was given out before.
    init(lastRevision: Revision = .absent) { self.lastRevision = Atomic(lastRevision) }

    /// The time: greater at each call. A call that returns before another begins has the smaller one.
    func now() -> Int {
        // An operation of the engine must not be moved across the clock's. On x86-64 none can be, whatever the ordering
        // that is asked for; a relaxed one keeps the thread sanitizer from taking the clock for a synchronisation between
        // all threads, behind which it would find no race at all.
        #if arch(x86_64)
        clock.add(1, ordering: .relaxed).newValue
        #else
        clock.add(1, ordering: .sequentiallyConsistent).newValue
        #endif
    }

    /// A revision that was never written.
    func newRevision() -> Revision { lastRevision.add(1, ordering: .relaxed).newValue }

    var newestRevision: Revision { lastRevision.load(ordering: .relaxed) }

    /// What all lanes that have ended recorded.
    var recording: Recording { finished.withLock { $0 } }

    /// What one thread or task does. Kept apart from the others until it ends: a lock around each record would order the
    /// threads, and hide their races from the sanitizer.
    final class Lane {
        let recorder: HistoryRecorder
        let number: Int
        private var recording = Recording()

        init(_ recorder: HistoryRecorder, _ number: Int) {
            self.recorder = recorder
            self.number = number
        }

        /// Hands over what was recorded.
        func end() {
            recorder.finished.withLock { finished in
                finished.operations += recording.operations
                finished.refusals += recording.refusals
                finished.problems += recording.problems
            }
            recording = Recording()
        }

        /// Makes a call, and records it.
        /// - Parameters:
        ///   - uncertain: the effect if the call throws an error after which it may have taken place; nil for reads.
        ///   - call: makes it, and says what its effect was.
        func record(uncertain: Effect? = nil, _ call: () throws(StoreError) -> Effect) {
            let invoked = recorder.now()
            do { add(try call(), from: invoked, to: recorder.now()) } catch { note(error, invoked, uncertain) }
        }

        /// As ``record(uncertain:_:)``, for calls that suspend.
        func record(uncertain: Effect? = nil, _ call: () async throws(StoreError) -> Effect) async {
            let invoked = recorder.now()
            do { add(try await call(), from: invoked, to: recorder.now()) } catch { note(error, invoked, uncertain) }
        }

        /// Records what was seen of one moment between two times.
        func add(_ effect: Effect, from invoked: Int, to returned: Int) {
            recording.operations.append(
                Operation(thread: number, invoked: invoked, returned: returned, effect: effect))
        }

        /// Whether a call has found the store closed.
        var sawClosed: Bool { recording.refusals.last?.code == .closed }

        /// Records what is wrong in any history.
        func note(problems: [String]) { recording.problems += problems }

        /// Records an error of a call that has no effect on the history.
        func note(_ error: StoreError) { recording.refusals.append(error) }

        private func note(_ error: StoreError, _ invoked: Int, _ uncertain: Effect?) {
            note(error)
            // By the promise, a write that throws anything but this has changed nothing, and must never be seen.
            guard error.code == .inputOutput, let uncertain else { return }
            add(uncertain, from: invoked, to: Operation.never)
        }
    }
}
