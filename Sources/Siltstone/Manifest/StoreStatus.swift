import Synchronization

/// Tells whether the store takes reads and writes, and why it does not.
///
/// A failure after which the state on disk is unknown is final: the store refuses all later writes, and reads go on
/// (`ErrorHandler` in RocksDB). Closing is final as well.
///
/// Guards the first failure, by a leaf lock of its own; the flags are atomics. Every owner asks; every owner may record a
/// failure. The write path closes the store to writers under its own lock, so that a write which has passed
/// ``checkWritable()`` under that lock is done before anybody acts on the closing.
final class StoreStatus: Sendable {
    let directory: String
    let isReadOnly: Bool
    private let stopping = Atomic<Bool>(false)
    private let closed = Atomic<Bool>(false)
    private let failed = Atomic<Bool>(false)
    private let life = Locked(Life.open, rank: .leaf)
    /// Any reason to refuse a write.
    private let refusing: Atomic<Bool>
    private let firstFailure = Locked<StoreError?>(nil, rank: .leaf)
    private let wakeWriters = Locked<(@Sendable () -> Void)?>(nil, rank: .leaf)

    init(directory: String, isReadOnly: Bool) {
        self.directory = directory
        self.isReadOnly = isReadOnly
        refusing = Atomic(isReadOnly)
    }

    // MARK: Closing

    /// Whether the store closes: background work stops at the next record, and every call throws.
    @inline(__always)
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Whether writers are refused for good, and the files may soon be another owner's.
    @inline(__always)
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    private enum Life { case open, closing, released }

    /// Whether closing has begun; writes go on until ``close()``.
    var isClosing: Bool { life.withLock { $0 != .open } }

    /// Begins to close. The first caller gets true, and has to ``release()`` when all is done.
    func beginClosing() -> Bool {
        life.withLock { life in
            defer { if life == .open { life = .closing } }
            return life == .open
        }
    }

    /// Waits for the one who closes.
    func waitForRelease() { life.wait { $0 == .released ? () : nil } }

    /// All is done, and the lock of the directory is given up.
    func release() {
        life.withLock { $0 = .released }
        life.wakeAll()
    }

    /// Has background work stop, and every call throw.
    func stop() { stopping.store(true, ordering: .sequentiallyConsistent) }

    /// Refuses all later writes. Under the write lock.
    func close() {
        closed.store(true, ordering: .sequentiallyConsistent)
        refusing.store(true, ordering: .sequentiallyConsistent)
    }

    // MARK: Failures

    /// Whether a failure has been recorded.
    var hasFailed: Bool { failed.load(ordering: .acquiring) }

    /// The failure that was recorded first.
    var failure: StoreError? { hasFailed ? firstFailure.withLock { $0 } : nil }

    /// Records a failure after which the state on disk is unknown, and wakes the writers that wait. Not under the write lock.
    /// The store refuses all later writes.
    func fail(_ failure: StoreError) {
        record(failure)
        wakeWriters.withLock { $0 }?()
    }

    /// Sets what wakes the writers that wait. Once, when the owners are put together.
    func whenFailed(_ wakeWriters: @escaping @Sendable () -> Void) { self.wakeWriters.withLock { $0 = wakeWriters } }

    /// Runs a sync. After a failed sync, even for a full disk, nobody knows what the disk holds: the failure is recorded.
    /// - Throws: ``StoreError/Code/inputOutput``.
    func requireSuccess(of sync: () throws(StoreError) -> Void) throws(StoreError) {
        do { try sync() } catch {
            let error = error.asUncertain
            fail(error)
            throw error
        }
    }

    /// Records a failure as ``fail(_:)`` does, under the write lock: the caller is a writer, and others are woken by what
    /// they wait for.
    func record(_ failure: StoreError) {
        firstFailure.withLock { first in
            if first == nil { first = failure }
            failed.store(true, ordering: .releasing)
            refusing.store(true, ordering: .sequentiallyConsistent)
        }
    }

    // MARK: Checks

    /// Throws where the store is closed.
    @inline(__always)
    func checkOpen() throws(StoreError) {
        if isStopping { throw closedError }
    }

    /// Throws where the store takes no writes.
    @inline(__always)
    func checkWritable() throws(StoreError) {
        if refusing.load(ordering: .relaxed) { try refuse() }
    }

    /// Throws, after a wait, where the store takes no writes any more. A caller that has waited gets the failure itself.
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
