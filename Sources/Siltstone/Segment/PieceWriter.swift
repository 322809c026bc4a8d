import Dispatch

/// Writes the pieces of a file one behind the other, on a queue of its own or for the caller.
///
/// After a failure nothing more is written, and every call that waits throws it.
///
/// `@unchecked Sendable`: what changes is touched on the queue only.
final class PieceWriter: @unchecked Sendable {
    /// The disk shall be busy while the rest is being made, and not only at the end.
    private static let syncStep = 4 << 20

    private let file: any File
    private let queue = DispatchQueue(label: "siltstone.output", qos: .utility)
    private var failure: StoreError?
    /// Up to where the system was told to begin with the sync.
    private var begun = 0

    init(_ file: any File) { self.file = file }

    /// Has a piece written on the queue, behind those before.
    /// - Parameter piece: to be kept, as it is, until ``wait()`` has returned, or ``settle()``.
    func begin(_ piece: Bytes, at offset: Int) {
        nonisolated(unsafe) let piece = piece  // read by the queue alone until somebody has waited
        queue.async { self.put(piece, at: offset) }
    }

    /// Waits until all pieces are written.
    func wait() throws(StoreError) {
        if let failure = queue.sync(execute: { failure }) { throw failure }
    }

    /// Waits until no piece is being written.
    func settle() { queue.sync {} }

    /// Writes a piece behind those before.
    func write(_ piece: Bytes, at offset: Int) throws(StoreError) {
        queue.sync { put(piece, at: offset) }
        try wait()
    }

    /// Brings everything to stable storage. Nothing may be begun before it returns.
    func sync() throws(StoreError) {
        try wait()
        try storeErrors { () throws(FileSystemError) in try file.syncFully() }
    }

    /// On the queue.
    private func put(_ piece: Bytes, at offset: Int) {
        guard failure == nil, piece.count > 0 else { return }
        do throws(FileSystemError) { try file.writeFully(piece, at: offset) } catch {
            failure = StoreError(error)
            return
        }
        let end = offset + piece.count
        guard end - begun >= Self.syncStep else { return }
        file.beginSync(offset: begun, length: end - begun)
        begun = end
    }
}
