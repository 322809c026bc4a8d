/// What a transaction has written and read so far.
///
/// Guards both by a lock of its own. Used by the transaction, by one task or thread at a time, and by its walks.
final class TransactionState: Sendable {
    private struct State {
        var writes = WriteBuffer()
        var reads = ReadSet()
        var hasEnded = false
    }

    /// Whether a commit looks for changes of what was read; if not, reads are not noted.
    private let checksReads: Bool
    private let directory: String
    private let state = Locked(State(), rank: .leaf)

    init(checksReads: Bool, directory: String) {
        self.checksReads = checksReads
        self.directory = directory
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

    /// Throws where the transaction has ended.
    func checkActive() throws(StoreError) { try withState { _ in } }

    // MARK: Reads

    /// Looks a key up among the transaction's own writes, and adds it to the read set if the store has to be asked.
    func read(_ key: Bytes) throws(StoreError) -> WriteBuffer.Lookup {
        try withState { state throws(StoreError) in
            let found = state.writes.lookup(key)
            if case .unwritten = found, checksReads { state.reads.insert(key) }
            return found
        }
    }

    /// Begins a walk.
    /// - Returns: the writes so far, and the number of the walk in the read set; nil where reads are not checked.
    func beginWalk() throws(StoreError) -> (writes: WriteBuffer, number: Int?) {
        try withState { state throws(StoreError) in
            (state.writes, checksReads ? state.reads.addWalk() : nil)
        }
    }

    /// Notes the part of the store that a walk has read so far. After the end of the transaction nobody needs it.
    func updateWalk(_ number: Int, _ range: KeyRange) {
        state.withLock { state in
            if !state.hasEnded { state.reads.updateWalk(number, range) }
        }
    }

    /// The keys and ranges that were read so far.
    func readSet() throws(StoreError) -> ReadSet {
        try withState { state throws(StoreError) in state.reads.closed() }
    }

    // MARK: Writes

    /// Changes the writes.
    func write(_ body: (inout WriteBuffer) throws(StoreError) -> Void) throws(StoreError) {
        try withState { state throws(StoreError) in try body(&state.writes) }
    }

    /// The point to which a savepoint rolls back.
    func mark() throws(StoreError) -> WriteBuffer.Mark {
        try withState { state throws(StoreError) in state.writes.mark }
    }

    /// Undoes the writes behind a mark. The read set stays: the body may have acted on what it read.
    func rollBack(to mark: WriteBuffer.Mark) {
        state.withLock { state in
            if !state.hasEnded { state.writes.rollBack(to: mark) }
        }
    }

    // MARK: End

    /// Ends the transaction.
    /// - Returns: what it has written and read.
    func end() throws(StoreError) -> (writes: WriteBuffer, reads: ReadSet) {
        try withState { state throws(StoreError) in
            let last = state
            state = State(hasEnded: true)
            return (last.writes, last.reads)
        }
    }

    /// Ends the transaction, if it has not ended, and drops what it has written and read.
    func drop() { state.withLock { $0 = State(hasEnded: true) } }
}
