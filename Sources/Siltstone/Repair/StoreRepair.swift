/// Repairs a damaged store.
///
/// The repair writes and syncs new files next to the old ones. It hard-links every file that the repaired store does not
/// use, damaged files included, into the directory `damaged-N` inside the store. Then it makes a new manifest current,
/// and removes the old names of those files. So a failure or a crash leaves the records either as they were or repaired.
/// A crash may also leave unused files.
///
/// An I/O error aborts the repair. It is not corruption: the records may be intact. If the disk is failing, copy it
/// first. Do not write to such a disk.
struct StoreRepair {
    /// Path of the store, as ``StoreOpener/normalized(_:_:)`` returns it.
    let directory: String
    var configuration: Configuration
    var fileSystem: any FileSystem { configuration.fileSystem }
    /// Called with a line of text for each step.
    let progress: ((String) -> Void)?
    var report = RepairReport()

    /// The identity that most files have; a new one if no header is readable.
    var identity = StoreIdentity.random()
    /// The state from the manifest, up to the first damage.
    var known = ManifestState()
    /// True if the manifest was read to its end and nothing indicates that edits are missing. Only then
    /// are segments and logs that it does not list ignored.
    var trustsManifest = false
    /// The state of the repaired store.
    var next = ManifestState()
    /// Offset of the end of the last intact frame of each log, by the log's number.
    var logEnds: [UInt64: Int] = [:]
    /// The number of the damaged file for each segment that salvage has written. That number tells the age of the
    /// records.
    var salvagedFiles: [UInt64: UInt64] = [:]
    /// The number of the manifest that was read; 0 if none could be read.
    var manifestNumber: UInt64 = 0
    /// The changes of a log start a new segment after this many bytes. Far below the largest segment that the format
    /// allows (4 GiB of blocks), as for flushes.
    var logSegmentBytes = 2 << 30
    /// Files that this repair has created.
    let made = MadeFiles()
    /// True once the repair has started to make the new manifest current. After this a crash may leave either manifest
    /// current, so ``undo()`` must not delete files.
    var mayBeCurrent = false

    /// A list of files, shared with the closures that create them.
    final class MadeFiles {
        var files: [StoreFile] = []
    }

    init(directory: String, configuration: Configuration, progress: ((String) -> Void)?) {
        self.directory = StoreOpener.normalized(directory, configuration.fileSystem)
        self.configuration = configuration
        self.progress = progress
    }

    /// Checks the store, and repairs it if it is damaged. Takes the store's lock meanwhile.
    /// - Throws: ``StoreError/Code/notFound`` or ``StoreError/Code/notAStore`` if there is no store,
    ///   ``StoreError/Code/locked``, ``StoreError/Code/unsupportedFormat``, and I/O errors.
    mutating func run() throws(StoreError) -> RepairReport {
        guard try StoreOpener.isDirectory(directory, fileSystem) else {
            throw StoreError(.notFound, "there is no store at this path", file: directory)
        }
        configuration.fileSystem = try storeErrors(retrying(fileSystem.holding(directory)))
        // Checked before taking the lock, because the lock file would otherwise be created in a foreign directory.
        guard try OrphanFile.isStore(StoreFile.list(in: directory, fileSystem), in: directory, fileSystem) else {
            throw StoreError(.notAStore, "the directory holds no file of a store", file: directory)
        }
        let lock = try StoreOpener.lock(
            directory, fileSystem, exclusive: true, purpose: ", repairing", advice: "close it first")
        defer { lock?.release() }
        if try isIntact() {
            report.wasClean = true
            return report
        }
        do { try rebuild() } catch {
            undo()
            throw error
        }
        return report
    }

    /// Salvages all files, and installs the repaired store.
    private mutating func rebuild() throws(StoreError) {
        let listed = try StoreFile.list(in: directory, fileSystem)
        let directories = try directories(among: listed)
        let present = listed.subtracting(directories)
        try findIdentity(present)
        try readManifest(present)
        next.nextFileNumber = max(known.nextFileNumber, (listed.compactMap(\.number).max() ?? 0) + 1)
        let values = try openValueFiles(present)
        for placed in knownSegments(present) { try repairSegment(placed, values) }
        for placed in try unknownSegments(present) { try repairSegment(placed, values) }
        for number in known.logs where !present.contains(.log(number)) {
            lose(.log(number), nil, "the file is missing, with all changes that were in no segment yet")
        }
        for number in logs(present) { try repairLog(number, values) }
        try values.finish()
        try orderUnplaced()
        try finish(listed, directories)
    }

    /// Reports a loss.
    mutating func lose(_ file: StoreFile, _ offset: Int? = nil, _ message: String) {
        // Removes the advice to run a repair, which would send the reader in a circle here.
        let message = StoreError.withoutAdvice(message)
        report.losses.append(.init(file: file.path(in: directory), offset: offset, message: message))
    }

    func path(_ file: StoreFile) -> String { file.path(in: directory) }

    /// Takes a file number that no file of the store has.
    mutating func takeNumber() -> UInt64 {
        defer { next.nextFileNumber += 1 }
        return next.nextFileNumber
    }

    /// True if the store opens and every byte of the files in use is intact. Then sets the number of records in the
    /// report.
    private mutating func isIntact() throws(StoreError) -> Bool {
        progress?("checking every byte")
        do throws(StoreError) {
            // This repair already holds the lock, so the store is opened without taking it.
            var configuration = configuration
            configuration.readOnly = true
            // A read that the disk refuses is SIGBUS in a mapping. But each unmapped segment takes a descriptor, and
            // the verification reads all of a segment by calls before it uses the mapping.
            configuration.access = .read
            let opener = StoreOpener(directory: directory, configuration: configuration, segmentAccess: .mapped)
            let engine = Engine(try opener.open())
            defer { engine.abandon() }
            let verification = try engine.verify(progress: nil)
            guard verification.problems.isEmpty else { return false }
            report.recordsKept = verification.recordsChecked
            return true
        } catch {
            // A directory with the name of a store file: the file is lost. Reading it fails with `EISDIR`, which counts
            // as damage and not as an I/O error, because the disk itself works.
            let isDirectory = error.errorNumber == Platform.isADirectory
            guard error.code == .corrupt || error.code == .notFound || isDirectory else { throw error }
            return false
        }
    }
}
