extension Engine {
    /// Makes a store of its own in another directory that holds what this one holds now.
    ///
    /// What is in memory is first written as a segment; then the segments and value files of one version are linked,
    /// and a manifest of their own names them. The files are shared, and never changed again by either store.
    func checkpoint(to path: String) throws(StoreError) {
        try checkOpen()
        if !configuration.readOnly {
            try flush()
        } else if writeLock.withLock({ !(state.pointee.sealed + [state.pointee.active]).allSatisfy(\.table.isEmpty) }) {
            throw StoreError(
                .readOnly, "the store has changes that are in no segment; open it for writing to make a checkpoint",
                file: directory)
        }
        // From here on no file of the version goes away.
        try obsolete.holding { () throws(StoreError) in
            let version = try finishValueFile()
            try makeDirectory(path)
            do throws(StoreError) { try fill(path, with: version) } catch {
                removeDirectory(path)
                throw error
            }
        }
    }

    private func makeDirectory(_ path: String) throws(StoreError) {
        do { try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.createDirectory(path) } } catch {
            if error.isExisting {
                throw StoreError(
                    .invalidArgument, "there is something at this path already; a checkpoint makes a directory",
                    file: path)
            }
            if error.isMissing {
                throw StoreError(
                    .notFound, "the directory that the checkpoint should be made in does not exist",
                    file: StoreOpener.parent(of: path))
            }
            throw StoreError(error)
        }
    }

    private func fill(_ path: String, with version: Version) throws(StoreError) {
        var checkpoint = ManifestState()
        for (level, runs) in version.levels.enumerated() {
            for run in runs {
                for segment in run.segments {
                    let info = segment.info
                    try link(.segment(info.number), into: path)
                    checkpoint.segments[info.number] = .init(info: info, level: level, run: run.number)
                    checkpoint.lastSequence = max(checkpoint.lastSequence, info.greatestSequence)
                }
            }
        }
        let referenced = Set(version.referencedValueBytes().keys)
        for number in referenced { try link(.values(number), into: path) }
        checkpoint.valueFiles = referenced
        let greatest = (Array(checkpoint.segments.keys) + Array(referenced)).max() ?? 0
        let number = greatest + 1
        checkpoint.nextFileNumber = number + 1
        let runs = checkpoint.segments.values.map(\.run).max() ?? 0
        checkpoint.nextFileNumber = max(checkpoint.nextFileNumber, runs + 1)
        // Its identity is this store's: the linked files carry it.
        let writer = try Manifest.create(
            number: number, state: checkpoint, identity: identity, in: path, fileSystem)
        try writer.close()
        try syncParent(of: path)
    }

    private func link(_ file: StoreFile, into path: String) throws(StoreError) {
        let (source, target) = (file.path(in: directory), file.path(in: path))
        do {
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.link(source, to: target) }
        } catch {
            guard error.errorNumber == Platform.crossDevice else { throw StoreError(error) }
            throw StoreError(
                .invalidArgument,
                "a checkpoint links the store's files, so it must be on the same file system; choose another path",
                file: path, errorNumber: error.errorNumber)
        }
    }

    /// Lets the value file in use take no more values, so that a checkpoint can share it, or a compaction empty it.
    /// - Returns: the current version, none of whose files will ever change.
    func finishValueFile() throws(StoreError) -> Version {
        try valueLock.withLock { () throws(StoreError) in
            writeLock.withLock { state.pointee.values }?.releaseSpace()
            try syncValues()
            return writeLock.withLock {
                state.pointee.values = nil
                return state.pointee.version
            }
        }
    }

    private func syncParent(of path: String) throws(StoreError) {
        try storeErrors { () throws(FileSystemError) in
            let parent = StoreOpener.parent(of: path)
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.syncDirectory(parent) }
        }
    }

    /// Takes back what a failed checkpoint left. The failure that led here is the one to tell.
    private func removeDirectory(_ path: String) {
        do {
            for name in try fileSystem.entries(of: path) { try fileSystem.remove(path + "/" + name) }
            try fileSystem.removeDirectory(path)
        } catch { return }
    }
}
