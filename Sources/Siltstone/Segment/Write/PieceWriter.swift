import Dispatch

/// Writes the pieces of a file one behind the other: on another thread, or on that of the caller.
///
/// Nobody waits for a thread: a piece that no thread has begun with is written by the one who waits for it. Else merges of very
/// many stores at once, each of which keeps a thread, would wait for each other for ever.
///
/// After a failure nothing more is written, and every ``wait()`` throws it.
final class PieceWriter: Sendable {
    private struct Piece {
        var bytes: Bytes
        var offset: Int
    }

    /// The disk shall be busy while the rest is being made, and not only at the end.
    private static let syncStep = 4 << 20

    private struct State {
        /// A piece that nobody has begun with.
        var pending: Piece?
        var isWriting = false
        var failure: StoreError?
        /// Up to where the system was told to begin with the sync.
        var begun = 0
    }

    private let file: any File
    private let state = Locked(State())

    init(_ file: any File) { self.file = file }

    /// Has a piece written by another thread. To be called when those before are written.
    /// - Parameter bytes: to be kept, as they are, until ``wait()`` has returned or thrown, or ``settle()`` returned.
    func begin(_ bytes: Bytes, at offset: Int) {
        state.withLock { $0.pending = Piece(bytes: bytes, offset: offset) }
        DispatchQueue.global(qos: .utility).async { self.writePending() }
    }

    /// Waits until all pieces are written.
    func wait() throws(StoreError) {
        settle()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Waits until no piece is being written, or to be.
    func settle() {
        writePending()
        state.wait { $0.isWriting ? nil : () }
    }

    /// Writes a piece behind those before.
    func write(_ bytes: Bytes, at offset: Int) throws(StoreError) {
        settle()
        state.withLock { $0.pending = Piece(bytes: bytes, offset: offset) }
        try wait()
    }

    /// Brings everything to stable storage. Nothing may be begun before it returns.
    func sync() throws(StoreError) {
        try wait()
        try storeErrors { () throws(FileSystemError) in try file.syncFully() }
    }

    /// Writes the piece that nobody has begun with, if there is one; behind a failure, drops it.
    private func writePending() {
        let taken = state.withLock { state -> Piece? in
            guard let piece = state.pending else { return nil }
            state.pending = nil
            if state.failure != nil || piece.bytes.isEmpty { return nil }
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

    private func put(_ piece: Piece) -> StoreError? {
        do throws(FileSystemError) { try file.writeFully(piece.bytes, at: piece.offset) } catch {
            return StoreError(error)
        }
        let end = piece.offset + piece.bytes.count
        let begun = state.withLock { state in
            let begun = state.begun
            if end - begun >= Self.syncStep { state.begun = end }
            return begun
        }
        if end - begun >= Self.syncStep { file.beginSync(offset: begun, length: end - begun) }
        return nil
    }
}
