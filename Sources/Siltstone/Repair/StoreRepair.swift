/// One repair of a store.
///
/// New files are written and synced beside the old ones, and those that are not needed any more get a second name aside;
/// then a new manifest is put in force: a failure or a crash leaves the store as it was or repaired.
///
/// That something cannot be read now is a failure of the repair, and no damage: the records that it would take for lost
/// may be well. A disk that cannot read them ever again must not be written to anyway, but copied.
struct StoreRepair {
    let directory: String
    let configuration: Configuration
    let fileSystem: any FileSystem
    let progress: ((String) -> Void)?
    var report = RepairReport()

    var identity = StoreIdentity.random()
    /// What the manifest says, as far as it can be read.
    var known = ManifestState()
    /// Whether the manifest could be read to its end, so that files which it does not name hold nothing.
    var trustsManifest = false
    /// What the repaired store will be.
    var next = ManifestState()
    /// Where each log ends, as far as it could be read.
    var logEnds: [UInt64: Int] = [:]
    /// Segments whose places nobody knows, so that only the sequence numbers of their records tell their order.
    var unplaced: Set<UInt64> = []
    /// The number of the manifest that was read; 0 where none could be.
    var manifestNumber: UInt64 = 0
    /// Files that this repair has made.
    let made = MadeFiles()
    /// Whether the new manifest was named, so that nobody can tell any more which one a crash would leave in force.
    var mayBeInForce = false

    /// A list that whatever makes a file can add to.
    final class MadeFiles {
        var files: [StoreFile] = []
    }

    init(directory: String, configuration: Configuration, progress: ((String) -> Void)?) {
        self.directory = StoreOpener.normalized(directory, configuration.fileSystem)
        self.configuration = configuration
        fileSystem = configuration.fileSystem
        self.progress = progress
    }

    mutating func run() throws(StoreError) -> RepairReport {
        guard try StoreOpener.isDirectory(directory, fileSystem) else {
            throw StoreError(.notFound, "there is no store at this path", file: directory)
        }
        // Before the lock, whose file would be put into a directory of something else.
        var isStore = false
        for file in try listFiles() where file.number != nil || file == .current {
            if try OrphanFile.isOurs(file, in: directory, fileSystem, store: nil) { isStore = true }
        }
        guard isStore else {
            throw StoreError(.notAStore, "the directory holds no file of a store", file: directory)
        }
        let lock = try takeLock()
        defer { lock.release() }
        if try isWell() {
            report.wasClean = true
            return report
        }
        do { try rebuild() } catch {
            undo()
            throw error
        }
        return report
    }

    private mutating func rebuild() throws(StoreError) {
        let listed = try listFiles()
        let directories = try directories(among: listed)
        let present = listed.subtracting(directories)
        try findIdentity(present)
        try readManifest(present)
        next.nextFileNumber = max(known.nextFileNumber, (listed.compactMap(\.number).max() ?? 0) + 1)
        let values = try openValueFiles(present)
        for placed in try segments(present) { try repairSegment(placed, values) }
        for number in known.logs where !present.contains(.log(number)) {
            lose(.log(number), nil, "the file is missing, with all changes that were in no segment yet")
        }
        for number in logs(present) { try repairLog(number, values) }
        try values.finish()
        try orderUnplaced()
        try finish(listed, directories)
    }

    mutating func lose(_ file: StoreFile, _ offset: Int? = nil, _ message: String) {
        // The advice that goes with damage elsewhere would send the reader in a circle here.
        let message = StoreError.withoutAdvice(message)
        report.losses.append(.init(file: file.path(in: directory), offset: offset, message: message))
    }

    func path(_ file: StoreFile) -> String { file.path(in: directory) }

    mutating func takeNumber() -> UInt64 {
        defer { next.nextFileNumber += 1 }
        return next.nextFileNumber
    }

    // MARK: Before

    private func takeLock() throws(StoreError) -> any FileLock {
        do {
            return try fileSystem.retrying { () throws(FileSystemError) in
                try fileSystem.lock(
                    path(.lock), exclusive: true, note: "process \(Platform.processIdentifier), repairing")
            }
        } catch {
            if error.isLocked {
                throw StoreError(
                    .locked, "the store is in use" + (error.detail.map { ", \($0)" } ?? "") + "; close it first",
                    file: error.path, errorNumber: error.errorNumber)
            }
            throw StoreError(error)
        }
    }

    /// Whether the store opens, and every byte of it is well.
    private mutating func isWell() throws(StoreError) -> Bool {
        progress?("checking every byte")
        do throws(StoreError) {
            // The lock is held already, so the store is opened below it.
            let opener = StoreOpener(
                directory: directory, configuration: readOnly(configuration), fileSystem: fileSystem, lock: nil)
            let engine = Engine(try opener.open())
            defer { engine.abandon() }
            let verification = try engine.verify(progress: nil)
            report.recordsKept = verification.recordsChecked
            return verification.problems.isEmpty
        } catch {
            let isDirectory = error.errorNumber == Platform.isADirectory
            guard error.code == .corrupt || error.code == .notFound || isDirectory else { throw error }
            report.recordsKept = 0
            return false
        }
    }

    private func readOnly(_ configuration: Configuration) -> Configuration {
        var configuration = configuration
        configuration.readOnly = true
        return configuration
    }
}
