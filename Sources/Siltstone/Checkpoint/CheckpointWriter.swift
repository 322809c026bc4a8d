/// Creates a checkpoint: a separate store in another directory with the current contents of this store.
///
/// First flushes the changes in memory, but not in a read-only store, which must have none. Then hard-links the
/// segments of one version, and the value files to which they refer, into the directory, and writes a new manifest that
/// names them. Both stores share the files, and neither changes their contents again. The checkpoint has no log. Its lock
/// file is made first, and is locked until the checkpoint is complete.
struct CheckpointWriter {
    let versions: VersionSet
    let values: ValueLog
    let relocations: ValueLog
    let writes: WritePath
    private let directory: StoreDirectory
    /// It holds the directory of the store, and that of the checkpoint once this is made.
    private var fileSystem: any FileSystem

    init(versions: VersionSet, values: ValueLog, relocations: ValueLog, writes: WritePath) {
        self.versions = versions
        self.values = values
        self.relocations = relocations
        self.writes = writes
        directory = versions.directory
        fileSystem = directory.fileSystem
    }

    /// Creates the checkpoint. If this fails, it tries to remove the directory that it has made.
    /// - Parameter path: the new directory; its parent must exist, on the same file system, and must not be the store's
    ///   directory.
    /// - Throws: ``StoreError/Code/invalidArgument`` or ``StoreError/Code/notFound`` if the path does not fit;
    ///   ``StoreError/Code/readOnly`` if a read-only store has changes that are in no segment.
    mutating func write(to path: String) throws(StoreError) {
        if path.isEmpty {
            throw StoreError(.invalidArgument, "a checkpoint needs the path of a new directory", file: path)
        }
        // Without a trailing slash, because the last slash separates the parent, which is synced.
        let path = StoreOpener.normalized(path, fileSystem)
        try versions.status.checkOpen()
        if !versions.status.isReadOnly {
            try writes.flush()
        } else if !writes.tables.allSatisfy(\.table.isEmpty) {
            throw StoreError(
                .readOnly, "the store has changes that are in no segment; open it for writing to make a checkpoint",
                file: directory.path)
        }
        // Until this block ends, no file of the version is removed.
        try versions.obsolete.holding { () throws(StoreError) in
            // Later values go to another file, because both stores may have this one. The sequence number is nil in a
            // read-only store, whose memtables are empty here.
            let (version, sequence) = try relocations.finishFile(before: values.finishFile)
            let name = path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? ""
            let nameInStore = directory.path + "/" + name
            let isNameTaken = try exists(nameInStore)
            guard try StoreOpener.createDirectory(path, for: "checkpoint", fileSystem) else {
                try refuseInterrupted(path)
                throw StoreError(
                    .invalidArgument, "there is something at this path already; a checkpoint makes a directory",
                    file: path)
            }
            let lock = try lockAlone(path)
            defer { lock?.release() }
            do throws(StoreError) {
                // The parent is the store's directory, by whatever path. If the checkpoint's sync of it failed, the
                // store would not learn of it.
                if !isNameTaken, try exists(nameInStore) {
                    throw StoreError(
                        .invalidArgument, "a checkpoint cannot be in the directory of its store; choose another path",
                        file: path)
                }
                try fill(path, with: version, upTo: sequence ?? writes.lastSequence)
            } catch {
                fileSystem.discardDirectory(path)
                throw error
            }
        }
    }

    private func exists(_ path: String) throws(StoreError) -> Bool {
        try storeErrors(retrying(fileSystem.attributes(of: path))) != nil
    }

    /// Refuses the directory of a checkpoint that was interrupted, or that another process is making now. It has store
    /// files, but neither `CURRENT` nor a log. A store that has lost its `CURRENT` has a log.
    private func refuseInterrupted(_ path: String) throws(StoreError) {
        let names: [String]
        do { names = try retrying(fileSystem.entries(of: path)) } catch { return }
        let files = names.compactMap { StoreFile(name: $0) }
        guard files.count == names.count, !files.contains(.current), files.contains(where: { $0.number != nil }),
            !files.contains(where: { $0.headerKind == .log })
        else { return }
        // While the other process makes its checkpoint, it holds the lock.
        let advice = "choose another path for this checkpoint"
        do throws(StoreError) {
            try StoreOpener.lock(path, fileSystem, exclusive: false, advice: advice)?.release()
        } catch {
            if error.code == .locked { throw error }
            return
        }
        throw StoreError(
            .invalidArgument,
            "an earlier checkpoint was interrupted here, or has lost its CURRENT; repair or remove the directory, or "
                + "choose another path", file: path)
    }

    /// Holds the new directory open, takes its lock, and checks that no other process has used the directory before.
    ///
    /// If this fails, the directory may hold a store of another process. So it only removes what it has made, and only
    /// if there is nothing else.
    private mutating func lockAlone(_ path: String) throws(StoreError) -> (any FileLock)? {
        // Readers of a store without a lock file take no lock, so a writer could open it at the same time.
        let lock: (any FileLock)?
        do throws(StoreError) {
            fileSystem = try storeErrors(retrying(fileSystem.holding(path)))
            lock = try StoreOpener.lock(
                path, fileSystem, exclusive: true, purpose: ", making a checkpoint", advice: "choose another path")
        } catch {
            if error.code != .locked { discardEmpty(path) }
            throw error
        }
        do throws(StoreError) {
            let names = try storeErrors(retrying(fileSystem.entries(of: path)))
            guard names.allSatisfy({ $0 == StoreFile.lock.name }) else {
                throw StoreError(
                    .invalidArgument,
                    "another process has made files in the directory of the checkpoint; choose "
                        + "another path", file: path)
            }
        } catch {
            if error.code != .invalidArgument { discardEmpty(path) }
            lock?.release()
            throw error
        }
        return lock
    }

    /// Removes a directory without files but the lock file. Ignores its own errors, because the first error is the one
    /// to report.
    private func discardEmpty(_ path: String) {
        do {
            try retrying(fileSystem.removeDirectory(path))
        } catch {
            do throws(FileSystemError) {
                guard try retrying(fileSystem.entries(of: path)) == [StoreFile.lock.name] else { return }
                try retrying(fileSystem.remove(StoreFile.lock.path(in: path)))
                try retrying(fileSystem.removeDirectory(path))
            } catch { return }
        }
    }

    /// Links the files of a version, and makes the manifest and `CURRENT`.
    /// - Parameter sequence: the sequence number of the version's last change. The number cannot be computed from the
    ///   segments, because merges to the bottom set the numbers of records to 0. The copy gives larger numbers to new
    ///   changes. So no number that a subscriber knows from this version stands for another change in the copy.
    private func fill(_ path: String, with version: Version, upTo sequence: SequenceNumber) throws(StoreError) {
        var checkpoint = ManifestState(lastSequence: sequence)
        for (segment, _) in version.placedSegments {
            try link(.segment(segment.info.number), into: path)
            checkpoint.segments[segment.info.number] = segment
        }
        let referenced = Set(version.referencedValueBytes.keys)
        for number in referenced { try link(.values(number), into: path) }
        checkpoint.valueFiles = referenced
        let number = ((Array(checkpoint.segments.keys) + Array(referenced)).max() ?? 0) + 1
        // Runs take their numbers from the same count, and a new run must have a larger number than these.
        let greatestRun = checkpoint.segments.values.map(\.run).max() ?? 0
        checkpoint.nextFileNumber = max(number, greatestRun) + 1
        // The checkpoint has the identity of this store, because the linked files contain it.
        let writer = try Manifest.create(
            number: number, state: checkpoint, identity: directory.identity, in: path, fileSystem)
        try writer.close()
        try StoreOpener.syncParent(of: path, fileSystem)
    }

    private func link(_ file: StoreFile, into path: String) throws(StoreError) {
        let (source, target) = (directory.path(of: file), file.path(in: path))
        do {
            try retrying(fileSystem.link(source, to: target))
        } catch {
            guard error.errorNumber == Platform.crossDevice else { throw StoreError(error) }
            throw StoreError(
                .invalidArgument,
                "a checkpoint links the store's files, so it must be on the same file system; choose another path",
                file: path, errorNumber: error.errorNumber)
        }
    }
}
