/// The list of edits that says which files make up the store, and its writer.
///
/// Each edit is synced before anyone acts on it. When the list has grown long, a new manifest is begun with the whole
/// state, and put in force by `CURRENT`; there is a valid manifest at every moment. (LevelDB's descriptor log, with each
/// frame chained to the one before.) Used under the manifest lock of ``VersionSet``.
final class Manifest {
    /// Edits after which the manifest is begun anew, if that can be done.
    static let editLimit = 1000

    let directory: String
    let identity: StoreIdentity
    private let fileSystem: any FileSystem
    private(set) var state: ManifestState
    private(set) var number: UInt64
    /// The manifest that was found, until there is a reason to write to it.
    private var found: Found?
    /// Where edits go; nil until then.
    private var writer: LogWriter?
    private(set) var edits: Int
    /// Edits at which the manifest is begun anew.
    private var renewalPoint = editLimit

    /// A manifest that was read, up to its last valid edit.
    struct Found {
        var path: String
        var header: FileHeader
        var state: ManifestState
        /// Edits, the first among them.
        var edits: Int
        /// Where the last edit ends, in bytes.
        var end: Int
        /// Up to where they are known to be on stable storage.
        var proven: Int
        var lastChecksum: UInt32
    }

    /// A manifest that was just made.
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

    /// A manifest that was found, and that is to be gone on with: some time, by ``makeRecoveryDurable()``.
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

    /// Whether nothing was written to the manifest that was found.
    var isAsFound: Bool { writer == nil }

    /// Makes durable what was found: the manifest, of which a process that died may not have synced the end, and the names
    /// of the files, as it may have died between the renaming of `CURRENT` and the sync of that.
    ///
    /// Comes before the first edit, before anything is removed or told to be durable; but not before that: who opens a store
    /// that was closed in good order, and reads, has no reason to wait for the disk.
    func makeRecoveryDurable() throws(StoreError) { _ = try durableWriter() }

    private func durableWriter() throws(StoreError) -> LogWriter {
        if let writer { return writer }
        guard let found else { preconditionFailure("a manifest is either found or made") }
        let writer = try LogWriter.resume(
            fileSystem, path: found.path, header: found.header, end: found.end, proven: found.proven,
            previous: found.lastChecksum, options: .manifest)
        do throws(FileSystemError) {
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.syncDirectory(directory) }
        } catch {
            // Of a sync that was made nobody knows what it did, be it for a full disk.
            throw Platform.isRefusal(error.errorNumber) ? StoreError(error) : StoreError(error).asUncertain
        }
        (self.writer, self.found) = (writer, nil)
        return writer
    }

    /// A number that no file has had. Durable with the next edit.
    func takeNumber() -> UInt64 {
        defer { state.nextFileNumber += 1 }
        return state.nextFileNumber
    }

    /// Makes an edit durable.
    ///
    /// A full disk is an error after which nothing has changed. Any other failure leaves it open whether the edit will
    /// be there after a crash: the store then takes no more writes, and deletes nothing.
    func append(_ edit: VersionEdit) throws(StoreError) {
        let writer = try durableWriter()
        var edit = edit
        edit.nextFileNumber = state.nextFileNumber
        var next = state
        try next.apply(edit, path: writer.path, offset: writer.end)
        if edits >= renewalPoint {
            if try begin(with: next) { return }
            // The failed manifest has taken a number, and may have left a file.
            edit.nextFileNumber = state.nextFileNumber
            next.nextFileNumber = state.nextFileNumber
        }
        try writer.append(edit: edit)
        try certain { () throws(StoreError) in try writer.sync() }
        state = next
        edits += 1
    }

    /// Runs the step of an edit behind which nobody knows whether it will be found after a crash: for the caller, even a
    /// full disk is then no failure that changes nothing.
    private func certain(_ step: () throws(StoreError) -> Void) throws(StoreError) {
        do { try step() } catch { throw error.asUncertain }
    }

    /// Writes a state as the first edit of a new manifest, and puts that in force.
    /// - Returns: false where the new one could not be made: the old one is as good, only longer, so that this is no failure
    ///   of the edit, which is appended instead. Tried again later.
    private func begin(with next: ManifestState) throws(StoreError) -> Bool {
        var next = next
        // Taken for good: where this fails, something of that name may be left.
        let newNumber = takeNumber()
        next.nextFileNumber = state.nextFileNumber
        let newWriter: LogWriter
        do throws(StoreError) {
            newWriter = try Self.prepare(
                number: newNumber, state: next, identity: identity, in: directory, fileSystem)
        } catch {
            renewalPoint = edits + Self.editLimit / 10
            return false
        }
        try certain { () throws(StoreError) in
            try storeErrors { () throws(FileSystemError) in try CurrentFile.replace(in: directory, fileSystem) }
        }
        let old = number
        (writer, number, state, edits, renewalPoint) = (newWriter, newNumber, next, 0, Self.editLimit)
        // The old one is not in force any more; where it cannot be removed now, the next opening does it.
        let path = StoreFile.manifest(old).path(in: directory)
        do { try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.remove(path) } } catch {}
        return true
    }

    /// Closes the file. What was appended is durable already.
    func close() throws(StoreError) { try writer?.close() }

    /// Writes a new manifest and puts it in force.
    static func create(
        number: UInt64, state: ManifestState, identity: StoreIdentity, in directory: String,
        _ fileSystem: any FileSystem
    ) throws(StoreError) -> LogWriter {
        let writer = try prepare(number: number, state: state, identity: identity, in: directory, fileSystem)
        try storeErrors { () throws(FileSystemError) in try CurrentFile.replace(in: directory, fileSystem) }
        return writer
    }

    /// Writes a new manifest, and the `CURRENT` that is to name it: nothing has changed yet.
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
            try storeErrors { () throws(FileSystemError) in
                try CurrentFile.prepare(manifest: number, in: directory, fileSystem)
            }
            return writer
        } catch {
            // The first error is the one to tell; a manifest that is not in force is a leftover.
            do { try fileSystem.remove(path) } catch {}
            throw error
        }
    }
}

extension LogWriter {
    /// Appends an edit of a manifest.
    fileprivate func append(edit: VersionEdit) throws(StoreError) {
        let payload = edit.encoded()
        try withContiguousBytes(payload) { bytes throws(StoreError) in try append(frame: .edit, payload: bytes) }
    }
}

extension LogWriter.Options {
    /// A manifest grows seldom and by little: no space is taken ahead.
    static let manifest = LogWriter.Options(writing: .written, capacity: 0, firstStep: 0)
}
