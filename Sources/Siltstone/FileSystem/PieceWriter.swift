import Dispatch

/// Writes consecutive pieces of a file in order, on another thread or on the caller's.
///
/// No caller depends on a free thread: a caller that waits for a piece that no thread has started writes the piece
/// itself. Otherwise the merges of very many stores, where each merge occupies a thread, could deadlock.
///
/// After a failed write it writes nothing more, and every later ``wait()``, ``write(_:at:)`` and ``sync()`` throws the
/// failure.
final class PieceWriter: Sendable {
    private struct Piece {
        var bytes: Bytes
        var offset: Int
    }

    /// Starts write-back after this many bytes (4 MiB), so that the disk is busy while the rest of the file is
    /// produced, and not only at the end.
    private static let writeBackStep = 4 << 20

    private struct State {
        /// A piece that no thread has started to write.
        var pending: Piece?
        var isWriting = false
        var failure: StoreError?
        /// The file offset up to which write-back was started.
        var writeBackEnd = 0
    }

    private let file: any File
    /// Writes the pieces that ``begin(_:at:)`` schedules. Serial for the reason that ``BackgroundWork`` states.
    let queue = DispatchQueue(label: "siltstone.pieces", qos: .utility)
    private let state = Locked(State(), rank: .leaf)

    init(_ file: any File) { self.file = file }

    /// Schedules a piece to be written by another thread. All earlier pieces must have been written.
    /// - Parameter bytes: must stay valid and unchanged until ``wait()`` returns or throws, or ``drain()`` returns.
    func begin(_ bytes: Bytes, at offset: Int) {
        state.withLock { $0.pending = Piece(bytes: bytes, offset: offset) }
        queue.async { self.writePending() }
    }

    /// Waits until all pieces are written.
    /// - Throws: the failure of an earlier piece.
    func wait() throws(StoreError) {
        drain()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Waits until no piece is pending or being written. Does not report failures.
    func drain() {
        writePending()
        state.wait { $0.isWriting ? nil : () }
    }

    /// Writes a piece on the caller's thread, after all earlier pieces.
    func write(_ bytes: Bytes, at offset: Int) throws(StoreError) {
        drain()
        state.withLock { $0.pending = Piece(bytes: bytes, offset: offset) }
        try wait()
    }

    /// Waits for all pieces and syncs the file. The caller must start no piece until it returns.
    func sync() throws(StoreError) {
        try wait()
        try storeErrors(file.syncFully())
    }

    /// Writes the pending piece, if any. Drops it if it is empty, or after a failure.
    private func writePending() {
        let taken = state.withLock { state -> Piece? in
            guard let piece = state.pending.take(), state.failure == nil, !piece.bytes.isEmpty else { return nil }
            state.isWriting = true
            return piece
        }
        guard let taken else { return }
        let error = put(taken)
        state.withLock { state in
            state.failure = error
            state.isWriting = false
        }
        state.wakeAll()
    }

    /// Writes a piece, and starts write-back after each ``writeBackStep``. Returns the failure; nil if there was none.
    private func put(_ piece: Piece) -> StoreError? {
        do throws(FileSystemError) { try file.writeFully(piece.bytes, at: piece.offset) } catch {
            return StoreError(error)
        }
        let end = piece.offset + piece.bytes.count
        let start = state.withLock { state in
            let start = state.writeBackEnd
            if end - start >= Self.writeBackStep { state.writeBackEnd = end }
            return start
        }
        if end - start >= Self.writeBackStep { file.beginSync(offset: start, length: end - start) }
        return nil
    }
}
