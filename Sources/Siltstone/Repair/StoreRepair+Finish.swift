extension StoreRepair {
    /// Installs the rebuilt state, and puts obsolete files aside. Hard-links them into the directory `damaged-N` inside
    /// the store. Makes the new manifest current. Then removes their original names. Where hard links are not possible,
    /// it moves the files instead, after the new manifest is current.
    /// - Parameters:
    ///   - listed: the store files that the directory contained.
    ///   - directories: the names of `listed` that are directories instead of files.
    mutating func finish(_ listed: Set<StoreFile>, _ directories: Set<StoreFile>) throws(StoreError) {
        next.lastSequence = max(known.lastSequence, next.segments.values.map(\.info.greatestSequence).max() ?? 0)
        next.valueFiles = Set(next.segments.values.flatMap { $0.info.valueFiles.map(\.file) })
        let unneeded = listed.subtracting(next.liveFiles.union([.current, .lock, .temporaryCurrent]))
        let files = unneeded.subtracting(directories).sorted { $0.name < $1.name }
        let isLinked = try linkAside(files)
        try syncDirectory(directory)
        // A rename cannot replace a directory by a file, and a directory cannot have a hard link. So directories are
        // moved before the new manifest is made current.
        try moveAside(directories.sorted { $0.name < $1.name })
        let number = takeNumber()
        made.files.append(.manifest(number))
        _ = try Manifest.prepare(number: number, state: next, identity: identity, in: directory, fileSystem)
        try syncDirectory(directory)
        mayBeCurrent = true
        try storeErrors(CurrentFile.replace(in: directory, fileSystem))
        if isLinked {
            // Files that this call cannot remove do no harm. The next opening removes those with an intact header.
            ObsoleteFiles(directory: directory, fileSystem: fileSystem).remove(files)
        } else {
            try moveAside(files)
        }
    }

    /// Removes the files of a repair whose manifest was not made current. Ignores its own errors, because the error of
    /// the repair is the one to report.
    func undo() {
        if mayBeCurrent { return }
        ObsoleteFiles(directory: directory, fileSystem: fileSystem).remove(made.files)
        // What cannot be removed does no harm: hard links to files that still exist, and directories that were moved
        // there.
        if let aside = report.damagedFilesDirectory { fileSystem.discardDirectory(aside) }
    }

    // MARK: Damaged files

    /// Creates the directory for damaged files.
    /// - Returns: its path.
    private mutating func makeAside() throws(StoreError) -> String {
        while true {
            let aside = directory + "/damaged-\(takeNumber())"
            if try StoreOpener.createDirectory(aside, for: "damaged files", fileSystem) { return aside }
            // The directory is that of an earlier repair, which has failed and could not remove it.
        }
    }

    /// Hard-links the obsolete files into a new directory `damaged-N` inside the store, so that they survive any later
    /// failure. Writes the file `LOSSES` there. Creates nothing if there are no such files and no losses.
    /// - Returns: false if the file system does not support hard links.
    private mutating func linkAside(_ files: [StoreFile]) throws(StoreError) -> Bool {
        guard !files.isEmpty || !report.losses.isEmpty else { return true }
        let aside = try makeAside()
        report.damagedFilesDirectory = aside
        configuration.fileSystem = try storeErrors(retrying(fileSystem.holding(aside)))
        // If the repair fails or the process dies at the very end, the next repair finds an intact store and could not
        // tell what was lost.
        let text = report.losses.map { $0.description + "\n" }.joined()
        try storeErrors(fileSystem.create(aside + "/LOSSES", Array(text.utf8)))
        do throws(FileSystemError) {
            for file in files {
                let (from, to) = (path(file), file.path(in: aside))
                try retrying(fileSystem.link(from, to: to))
            }
        } catch {
            // `EPERM`: FAT, and single files, for example those of another user.
            guard error.isUnsupported || error.errorNumber == Platform.notPermitted else { throw StoreError(error) }
            // A rename onto a link of the same file would do nothing, and leave the old name.
            ObsoleteFiles(directory: aside, fileSystem: fileSystem).remove(files)
            return false
        }
        try syncDirectory(aside)
        report.damagedFiles = files.map { $0.path(in: aside) }
        return true
    }

    /// Moves files into the directory for damaged files, after nothing refers to them any more. ``linkAside(_:)`` has made
    /// the directory: each of the files is obsolete, or was reported as a loss.
    private mutating func moveAside(_ files: [StoreFile]) throws(StoreError) {
        guard let aside = report.damagedFilesDirectory, !files.isEmpty else { return }
        for file in files {
            let (from, to) = (path(file), file.path(in: aside))
            try storeErrors(retrying(fileSystem.rename(from, to: to)))
            report.damagedFiles.append(to)
        }
        try syncDirectory(aside)
        try syncDirectory(directory)
    }

    private func syncDirectory(_ path: String) throws(StoreError) {
        try storeErrors(retrying(fileSystem.syncDirectory(path)))
    }
}
