import Synchronization

/// Keeps changes of large transactions in files of the store's directory instead of memory.
///
/// A scratch file has no name while it has contents: its name is removed before the first write. So the system frees
/// its space with its last mapping, also if the process dies. A crash between the creation and the removal leaves an
/// empty file, which the next opening removes.
///
/// One object for all transactions of a store, because a small transaction should not pay for it.
final class ScratchSpace: Sendable {
    /// The bytes of changes that a transaction keeps in memory.
    let memoryBytes: Int
    private let directory: String
    private let fileSystem: any FileSystem

    /// The number of the next file. Names are used for moments only, so one sequence serves all stores of the process.
    private static let nextNumber = Atomic<UInt64>(1)

    /// - Returns: nil if the store is read-only, or if its files must not be mapped.
    init?(_ directory: StoreDirectory) {
        let configuration = directory.configuration
        guard configuration.access == .mapped, !configuration.readOnly else { return nil }
        memoryBytes = configuration.transactionMemoryBytes
        self.directory = directory.path
        fileSystem = configuration.fileSystem
    }

    /// Writes pieces one after the other to a new file, and maps it.
    func write(_ pieces: [Bytes]) throws(StoreError) -> any FileMapping {
        try storeErrors(writePieces(pieces))
    }

    private func writePieces(_ pieces: [Bytes]) throws(FileSystemError) -> any FileMapping {
        let file = try create()
        var end = 0
        for piece in pieces {
            try file.writeFully(piece, at: end)
            end += piece.count
        }
        return try file.map(length: end, writable: false)
    }

    /// Creates a file without a name.
    private func create() throws(FileSystemError) -> any File {
        while true {
            let number = Self.nextNumber.add(1, ordering: .relaxed).oldValue
            let path = StoreFile.scratch(number).path(in: directory)
            do {
                let file = try retrying(fileSystem.open(path, .createNew))
                try retrying(fileSystem.remove(path))
                return file
            } catch {
                // A file of that name may be left from another process.
                if !error.isExisting { throw error }
            }
        }
    }
}
