import Synchronization

/// Says whether the store takes reads and writes, and why it does not.
///
/// A failure after which the state on disk is unknown is final: the store refuses all later writes, and reads go on
/// (`ErrorHandler` in RocksDB). Closing is final as well.
///
/// A leaf lock of its own guards the first failure; the flags are atomics. Every owner checks the status and may record
/// a failure. The write path closes the store to writers under the write lock. So a write that has passed
/// ``checkWritable()`` under that lock is complete before anybody acts on the closing.
final class StoreStatus: Sendable {
    let directory: String
    let isReadOnly: Bool
    private let stopping = Atomic<Bool>(false)
    private let closed = Atomic<Bool>(false)
    private let failed = Atomic<Bool>(false)
    /// How far the closing is.
    private let life = Locked(Life.open, rank: .leaf)
    /// True if there is any reason to refuse a write.
    private let refusing: Atomic<Bool>
    private let firstFailure = Locked<StoreError?>(nil, rank: .leaf)
    private let wakeWriters = Locked<(@Sendable () -> Void)?>(nil, rank: .leaf)

    init(directory: String, isReadOnly: Bool) {
        self.directory = directory
        self.isReadOnly = isReadOnly
        refusing = Atomic(isReadOnly)
    }

    // MARK: Closing

    /// True once ``stop()`` was called: compactions stop soon, and new reads throw.
    @inline(__always)
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// True once ``close()`` was called. The store's files may soon belong to another owner.
    @inline(__always)
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    private enum Life { case open, closing, released }

    /// True once closing has started. Writes go on until ``close()``.
    var isClosing: Bool { life.withLock { $0 != .open } }

    /// Starts the closing. Returns true to the first caller, who must call ``release()`` at the end.
    func beginClosing() -> Bool {
        life.withLock { life in
            defer { if life == .open { life = .closing } }
            return life == .open
        }
    }

    /// Waits until the caller that closes the store has called ``release()``.
    func waitForRelease() { life.wait { $0 == .released ? () : nil } }

    /// Marks the closing as complete, after the directory's lock was released.
    func release() {
        life.withLock { $0 = .released }
        life.wakeAll()
    }

    /// Stops compactions, and makes new reads throw. A running flush goes on, and so do writes until ``close()``.
    func stop() { stopping.store(true, ordering: .sequentiallyConsistent) }

    /// Refuses all later writes. Under the write lock.
    func close() {
        closed.store(true, ordering: .sequentiallyConsistent)
        refusing.store(true, ordering: .sequentiallyConsistent)
    }

    // MARK: Failures

    /// True if a failure has been recorded.
    var hasFailed: Bool { failed.load(ordering: .acquiring) }

    /// The failure that was recorded first.
    var failure: StoreError? { hasFailed ? firstFailure.withLock { $0 } : nil }

    /// Records a failure after which the state on disk is unknown, and wakes the waiting writers. The store refuses all
    /// later writes. Not under the write lock.
    func fail(_ failure: StoreError) {
        record(failure)
        wakeWriters.withLock { $0 }?()
    }

    /// Sets the function that wakes waiting writers. Called once, when the owners are put together.
    func whenFailed(_ wakeWriters: @escaping @Sendable () -> Void) { self.wakeWriters.withLock { $0 = wakeWriters } }

    /// Runs a sync, and records its failure, because after a failed sync the on-disk state is unknown, even if the
    /// error is ENOSPC.
    /// - Throws: ``StoreError/Code/inputOutput``.
    func requireSuccess(of sync: () throws(StoreError) -> Void) throws(StoreError) {
        do { try sync() } catch {
            let error = error.asUncertain
            fail(error)
            throw error
        }
    }

    /// Records a failure as ``fail(_:)`` does, but wakes nobody. For a writer under the write lock. The other writers
    /// are woken by the event that they wait for.
    func record(_ failure: StoreError) {
        firstFailure.withLock { first in
            if first == nil { first = failure }
            failed.store(true, ordering: .releasing)
            refusing.store(true, ordering: .sequentiallyConsistent)
        }
    }

    // MARK: Checks

    /// Throws if the store is closed.
    @inline(__always)
    func checkOpen() throws(StoreError) {
        if isStopping { throw closedError }
    }

    /// Throws if the store takes no writes.
    @inline(__always)
    func checkWritable() throws(StoreError) {
        if refusing.load(ordering: .relaxed) { try refuse() }
    }

    /// Throws if the store takes no writes any more. For a caller that has waited: it gets the recorded failure itself,
    /// and not ``StoreError/Code/refusesWrites``.
    func checkStillWritable() throws(StoreError) {
        if !isClosed, let failure { throw failure }
        try checkWritable()
    }

    /// Throws the reason why the store takes no writes, if there is one.
    @inline(never)
    func refuse() throws(StoreError) {
        if isClosed { throw closedError }
        if isReadOnly { throw StoreError(.readOnly, "the store is open for reading only", file: directory) }
        if let failure {
            throw StoreError(
                .refusesWrites,
                "an earlier write failed, and the store takes no more until it is opened again; reads go on: "
                    + failure.message, file: failure.file ?? directory, offset: failure.offset,
                errorNumber: failure.errorNumber)
        }
    }

    private var closedError: StoreError {
        StoreError(.closed, "the store is closed; open it again", file: directory)
    }
}
