/// The writes and the reads of a transaction so far.
///
/// Guards both with its own lock. The transaction uses it, from one task or thread at a time, and so do its scans.
final class TransactionState: Sendable {
    private struct State {
        var writes: WriteBuffer
        var reads = ReadSet()
        var hasEnded = false
    }

    /// Whether the commit checks the reads for conflicts. If false, reads are not recorded.
    private let checksReads: Bool
    /// Path of the store, for errors.
    private let directory: String
    private let state: Locked<State>

    /// - Parameters:
    ///   - directory: path of the store.
    ///   - scratch: see ``WriteBuffer``.
    init(checksReads: Bool, directory: String, _ scratch: ScratchSpace?) {
        self.checksReads = checksReads
        self.directory = directory
        state = Locked(State(writes: WriteBuffer(scratch)), rank: .leaf)
    }

    /// Whether the transaction can still be used.
    var isActive: Bool { state.withLock { !$0.hasEnded } }

    /// Runs `body` on the state of a transaction that has not ended.
    private func withState<R>(_ body: (inout State) throws(StoreError) -> R) throws(StoreError) -> R {
        try state.withLock { state throws(StoreError) in
            guard !state.hasEnded else {
                throw StoreError(
                    .transactionEnded, "the transaction was committed or rolled back; begin a new one",
                    file: directory)
            }
            return try body(&state)
        }
    }

    /// Throws if the transaction has ended.
    func checkActive() throws(StoreError) { try withState { _ in } }

    // MARK: Reads

    /// Looks up a key among the transaction's own writes. If it is not there, the store must be read, so this adds the
    /// key to the read set.
    func read(_ key: Bytes) throws(StoreError) -> WriteBuffer.Written? {
        try withState { state throws(StoreError) in
            let found = state.writes.lookup(key)
            if found == nil, checksReads { state.reads.insert(key) }
            return found
        }
    }

    /// Adds a key of the store to the read set, for a read that has looked at earlier writes.
    func noteRead(_ key: Bytes) throws(StoreError) {
        try withState { if checksReads { $0.reads.insert(key) } }
    }

    /// Starts a scan.
    /// - Returns: the writes so far, and the number of the scan in the read set; nil if reads are not checked.
    func beginScan() throws(StoreError) -> (writes: WriteBuffer, number: Int?) {
        try withState { ($0.writes, checksReads ? $0.reads.addScan() : nil) }
    }

    /// Records the range of the store that a scan has read so far. Does nothing if the transaction has ended.
    func updateScan(_ number: Int, _ range: KeyRange) {
        state.withLock { if !$0.hasEnded { $0.reads.updateScan(number, range) } }
    }

    /// Returns the keys and ranges that were read so far.
    func readSet() throws(StoreError) -> ReadSet { try withState { $0.reads.mergingScans() } }

    /// Returns the position at which a scan may go on instead of at `position`: behind a range in which scans of the
    /// transaction have found no entry; nil if there is none, or the transaction has ended.
    func deletedEnd(from position: [UInt8]?, _ direction: ScanDirection, seeing writes: WriteBuffer) -> [UInt8]? {
        guard let position else { return nil }
        return state.withLock {
            $0.hasEnded ? nil : $0.writes.deletedRanges.end(from: position, direction, seen: writes.changeCount)
        }
    }

    /// Adds a range in which a scan has found no entry; see ``DeletedRangeSet/add(_:passing:seen:)``. Does nothing if
    /// the transaction has ended.
    func addDeleted(_ bounds: DeletedRun.Bounds, passing count: Int, seeing writes: WriteBuffer) {
        state.withLock {
            if !$0.hasEnded { $0.writes.deletedRanges.add(bounds, passing: count, seen: writes.changeCount) }
        }
    }

    /// See ``DeletedRangeSet/passedCount``.
    var passedCount: Int { state.withLock { $0.writes.deletedRanges.passedCount } }

    // MARK: Writes

    /// Changes the writes.
    func write(_ body: (inout WriteBuffer) throws(StoreError) -> Void) throws(StoreError) {
        try withState { state throws(StoreError) in try body(&state.writes) }
    }

    /// Returns a copy of the writes so far.
    func currentWrites() throws(StoreError) -> WriteBuffer { try withState { $0.writes } }

    /// Returns a point to which a savepoint can roll back.
    func mark() throws(StoreError) -> WriteBuffer.Mark { try withState { $0.writes.makeMark() } }

    /// Undoes the writes after a mark. Keeps the read set, because the body may have acted on what it read.
    func rollBack(to mark: WriteBuffer.Mark) {
        state.withLock { if !$0.hasEnded { $0.writes.rollBack(to: mark) } }
    }

    // MARK: End

    /// Ends the transaction.
    /// - Returns: its writes and reads.
    func end() throws(StoreError) -> (writes: WriteBuffer, reads: ReadSet) {
        try withState { state throws(StoreError) in
            let last = state
            state = State(writes: WriteBuffer(), hasEnded: true)
            return (last.writes, last.reads)
        }
    }

    /// Ends the transaction if it is active, and drops its writes and reads.
    func drop() { state.withLock { $0 = State(writes: WriteBuffer(), hasEnded: true) } }
}
