/// The log of version edits that says which files make up the store, and its writer.
///
/// Each edit is synced before anyone acts on it. The manifest rolls over after ``editLimit`` edits: a new file starts
/// with the full state, and renaming a temporary file to `CURRENT` installs it. A valid manifest exists at every
/// moment. (LevelDB's descriptor log; here each frame is also chained to the frame before it.) Used under the manifest
/// lock of ``VersionSet``.
final class Manifest {
    /// Number of edits after which the manifest rolls over, if the new file can be written.
    static let editLimit = 1000

    let directory: String
    let identity: StoreIdentity
    private let fileSystem: any FileSystem
    /// The state after the last edit. Its next file number may be ahead of that edit.
    private(set) var state: ManifestState
    /// The current manifest's file number.
    private(set) var number: UInt64
    /// The manifest that recovery has read, until ``makeRecoveryDurable()`` opens it for appending. Nil in a new store.
    private var found: Found?
    /// Appends edits to the current manifest. Nil while ``found`` is set.
    private var writer: LogWriter?
    /// Number of edits since the full state; in a recovered manifest the full state counts as one.
    private(set) var edits: Int
    /// Number of edits at which the next rollover is tried.
    private var rolloverPoint = editLimit

    /// A manifest that recovery has read up to its last valid edit.
    struct Found {
        var path: String
        var header: FileHeader
        var state: ManifestState
        /// The segments that the edits have dropped, one array for each run, in the order of their removal
        /// (``ManifestState/runsDropped(by:)``).
        var droppedRuns: [[UInt64]]
        /// Number of edits, including the first, which holds the full state.
        var edits: Int
        /// End of the last edit, as an offset in bytes.
        var end: Int
        /// The offset in bytes up to which the edits are known to be synced.
        var proven: Int
        /// Checksum of the last frame, to which the next frame is chained.
        var lastChecksum: UInt32
        /// True if the last frame is a close frame: the store was closed cleanly, and no edit followed.
        var isClosed: Bool
    }

    /// Creates the owner of a manifest that was just written.
    ///
    /// ``edits`` starts at 0, as after a rollover, because the first edit, which holds the full state, does not count.
    init(
        directory: String, identity: StoreIdentity, fileSystem: any FileSystem, state: ManifestState, number: UInt64,
        writer: LogWriter
    ) {
        self.directory = directory
        self.identity = identity
        self.fileSystem = fileSystem
        self.state = state
        self.number = number
        self.writer = writer
        found = nil
        edits = 0
    }

    /// Creates the owner of a manifest that recovery has read. ``makeRecoveryDurable()`` prepares it for appending.
    init(_ found: Found, nextFileNumber: UInt64, directory: String, fileSystem: any FileSystem) {
        self.found = found
        self.directory = directory
        self.fileSystem = fileSystem
        identity = found.header.store
        number = found.header.number
        state = found.state
        state.nextFileNumber = nextFileNumber
        edits = found.edits
    }

    /// True until ``makeRecoveryDurable()`` has run on a recovered manifest. Until then it has no new edit.
    var isAsFound: Bool { writer == nil }

    /// Makes the recovered state durable: the end of the manifest and the names of the files.
    ///
    /// A process that died may not have synced the end of the manifest. It may also have died after it had renamed the
    /// temporary file to `CURRENT`, and before the sync of the directory.
    ///
    /// This runs before the first edit, and before any file is removed or any change is reported as durable. The
    /// opening runs it, unless the store was closed cleanly: a caller who opens such a store and only reads does not
    /// wait for the disk.
    func makeRecoveryDurable() throws(StoreError) { _ = try durableWriter() }

    private func durableWriter() throws(StoreError) -> LogWriter {
        if let writer { return writer }
        guard let found else { preconditionFailure("a manifest is either found or made") }
        let writer = try LogWriter.resume(
            fileSystem, path: found.path, header: found.header, end: found.end, syncedEnd: found.proven,
            previous: found.lastChecksum, options: .manifest)
        try fileSystem.syncNames(in: directory)
        (self.writer, self.found) = (writer, nil)
        return writer
    }

    /// Takes a number that no file in the directory has. It is durable with the next edit.
    func takeNumber() -> UInt64 {
        defer { state.nextFileNumber += 1 }
        return state.nextFileNumber
    }

    /// Makes an edit durable.
    ///
    /// An error with the code ``StoreError/Code/noSpace`` means that nothing has changed. After any other error of the
    /// append or of a sync it is unknown whether the edit survives a crash, so the store refuses all later writes and
    /// deletes nothing.
    func append(_ edit: VersionEdit) throws(StoreError) {
        let writer = try durableWriter()
        var edit = edit
        edit.nextFileNumber = state.nextFileNumber
        var next = state
        try next.apply(edit, path: writer.path, offset: writer.end)
        if edits >= rolloverPoint {
            if try rollOver(to: next) { return }
            // The failed rollover has taken a number, and may have left a file of that number.
            edit.nextFileNumber = state.nextFileNumber
            next.nextFileNumber = state.nextFileNumber
        }
        try writer.append(edit: edit)
        try writer.sync()
        state = next
        edits += 1
    }

    /// Rolls over: writes `next` as the first edit of a new manifest, and installs that manifest.
    /// - Returns: false if the new manifest could not be written. The old manifest stays valid and only grows longer,
    ///   so the edit has not failed: the caller appends it to the old manifest. The next try follows after a tenth of
    ///   ``editLimit`` further edits.
    private func rollOver(to next: ManifestState) throws(StoreError) -> Bool {
        var next = next
        // The number is never given back, because a file with that name may remain after a failure.
        let newNumber = takeNumber()
        next.nextFileNumber = state.nextFileNumber
        let newWriter: LogWriter
        do throws(StoreError) {
            newWriter = try Self.prepare(number: newNumber, state: next, identity: identity, in: directory, fileSystem)
        } catch {
            rolloverPoint = edits + Self.editLimit / 10
            return false
        }
        let path = StoreFile.manifest(newNumber).path(in: directory)
        do throws(StoreError) { try fileSystem.syncNames(in: directory) } catch {
            do { try fileSystem.remove(path) } catch {}
            // After a failed sync of the directory the names of other files may be lost as well. The kernel reports the
            // failure only once, so a later sync would succeed.
            if error.leavesDoubt { throw error }
            rolloverPoint = edits + Self.editLimit / 10
            return false
        }
        // After a failure it is unknown whether the edit survives a crash, even if the disk is full.
        do throws(FileSystemError) { try CurrentFile.replace(in: directory, fileSystem) } catch {
            throw StoreError(error).asUncertain
        }
        let old = number
        (writer, number, state, edits, rolloverPoint) = (newWriter, newNumber, next, 0, Self.editLimit)
        // The old manifest is not current any more. If it cannot be removed now, the next opening removes it.
        do { try retrying(fileSystem.remove(StoreFile.manifest(old).path(in: directory))) } catch {}
        return true
    }

    /// Closes the file. All appended edits are durable already.
    func close() throws(StoreError) { try writer?.close() }

    /// Writes a new manifest and installs it.
    static func create(
        number: UInt64, state: ManifestState, identity: StoreIdentity, in directory: String,
        _ fileSystem: any FileSystem
    ) throws(StoreError) -> LogWriter {
        let writer = try prepare(number: number, state: state, identity: identity, in: directory, fileSystem)
        try storeErrors(retrying(fileSystem.syncDirectory(directory)))
        try storeErrors(CurrentFile.replace(in: directory, fileSystem))
        return writer
    }

    /// Writes a new manifest, and a temporary `CURRENT` that names it. The old manifest stays current. The names of the two
    /// are not durable yet.
    static func prepare(
        number: UInt64, state: ManifestState, identity: StoreIdentity, in directory: String,
        _ fileSystem: any FileSystem
    ) throws(StoreError) -> LogWriter {
        let path = StoreFile.manifest(number).path(in: directory)
        let header = FileHeader(kind: .manifest, store: identity, number: number)
        let writer = try LogWriter.create(fileSystem, path: path, header: header, options: .manifest)
        do throws(StoreError) {
            try writer.append(edit: state.asEdit())
            try writer.sync()
            try storeErrors(CurrentFile.prepare(manifest: number, in: directory, fileSystem))
            return writer
        } catch {
            // The first error is the one to report. A manifest that is not current is an obsolete file.
            do { try fileSystem.remove(path) } catch {}
            throw error
        }
    }
}

extension LogWriter {
    /// Appends an edit to a manifest.
    fileprivate func append(edit: VersionEdit) throws(StoreError) {
        let payload = edit.encoded()
        try withContiguousBytes(payload) { bytes throws(StoreError) in try append(frame: .edit, payload: bytes) }
    }
}

extension LogWriter.Options {
    /// The manifest is small and grows seldom, so it does not preallocate.
    static let manifest = LogWriter.Options(writing: .written, capacity: 0, firstStep: 0)
}
