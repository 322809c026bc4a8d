extension StoreRepair {
    /// Puts what was rebuilt in force, and what it does not need aside.
    /// - Parameters:
    ///   - listed: what the directory held.
    ///   - directories: those of `listed` that are directories in the place of files.
    mutating func finish(_ listed: Set<StoreFile>, _ directories: Set<StoreFile>) throws(StoreError) {
        next.lastSequence = max(known.lastSequence, next.segments.values.map(\.info.greatestSequence).max() ?? 0)
        next.valueFiles = Set(next.segments.values.flatMap { $0.info.valueFiles.map(\.file) })
        let unneeded = listed.subtracting(next.liveFiles.union([.current, .lock, .currentInTheMaking]))
        let files = unneeded.subtracting(directories).sorted { $0.name < $1.name }
        let isLinked = try linkAside(files)
        try syncDirectory(directory)
        // A directory cannot be replaced by the file that is to have its name, nor have a second one.
        try moveAside(directories.sorted { $0.name < $1.name })
        let number = takeNumber()
        made.files.append(.manifest(number))
        _ = try Manifest.prepare(number: number, state: next, identity: identity, in: directory, fileSystem)
        mayBeInForce = true
        try storeErrors { () throws(FileSystemError) in try CurrentFile.replace(in: directory, fileSystem) }
        if isLinked {
            // The next opening removes what this cannot.
            ObsoleteFiles(directory: directory, fileSystem: fileSystem).remove(files)
        } else {
            try moveAside(files)
        }
    }

    /// Takes back what a repair has made that did not come into force. The failure that led here is the one to tell.
    func undo() {
        if mayBeInForce { return }
        ObsoleteFiles(directory: directory, fileSystem: fileSystem).remove(made.files)
        guard let aside = report.damagedFilesDirectory else { return }
        do {
            try fileSystem.retrying { () throws(FileSystemError) in
                for name in try fileSystem.entries(of: aside) { try fileSystem.remove(aside + "/" + name) }
                try fileSystem.removeDirectory(aside)
            }
        } catch { return }  // second names of files that are there: they harm nobody
    }

    // MARK: Damaged files

    /// Makes the directory that keeps damaged files.
    private mutating func makeAside() throws(StoreError) -> String {
        while true {
            let aside = directory + "/damaged-\(takeNumber())"
            do {
                try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.createDirectory(aside) }
                return aside
            } catch {
                // Of an earlier repair, which failed and could not take it back.
                if !error.isExisting { throw StoreError(error) }
            }
        }
    }

    /// Writes down what is gone. Should the repair fail or die at the very end, the next one finds a store that is well, and
    /// could not tell.
    private func writeLosses(in aside: String) throws(StoreError) {
        let text = report.losses.map { $0.description + "\n" }.joined()
        try storeErrors { () throws(FileSystemError) in
            let file = try fileSystem.retrying { () throws(FileSystemError) in
                try fileSystem.open(aside + "/LOSSES", .createNew)
            }
            try file.writeFully(Array(text.utf8), at: 0)
            try file.syncFully()
            try file.close()
        }
    }

    /// Gives the damaged files a second name each, so that they outlive the first one whatever happens from here on.
    /// - Returns: false where the file system knows no second names.
    private mutating func linkAside(_ files: [StoreFile]) throws(StoreError) -> Bool {
        guard !files.isEmpty || !report.losses.isEmpty else { return true }
        let aside = try makeAside()
        report.damagedFilesDirectory = aside
        try writeLosses(in: aside)
        do throws(FileSystemError) {
            for file in files {
                let (from, to) = (path(file), file.path(in: aside))
                try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.link(from, to: to) }
            }
        } catch {
            if error.isUnsupported || error.errorNumber == Platform.notPermitted { return false }  // `EPERM`: FAT
            throw StoreError(error)
        }
        try syncDirectory(aside)
        report.damagedFiles = files.map { $0.path(in: aside) }
        return true
    }

    /// Moves the damaged files away, once nothing refers to them any more.
    private mutating func moveAside(_ files: [StoreFile]) throws(StoreError) {
        guard let aside = report.damagedFilesDirectory, !files.isEmpty else { return }
        for file in files {
            let (from, to) = (path(file), file.path(in: aside))
            try storeErrors { () throws(FileSystemError) in
                try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.rename(from, to: to) }
            }
            report.damagedFiles.append(to)
        }
        try syncDirectory(aside)
        try syncDirectory(directory)
    }

    private func syncDirectory(_ path: String) throws(StoreError) {
        try storeErrors { () throws(FileSystemError) in
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.syncDirectory(path) }
        }
    }
}
