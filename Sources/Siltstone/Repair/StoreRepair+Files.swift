/// What a damaged directory holds, and whose it is.
extension StoreRepair {
    /// What the header of a file says.
    enum Claim {
        /// It is this store's, and has the number in its name.
        case ours
        /// It is whole, and names another store.
        case foreign(StoreError)
        /// It cannot be read, or names another number: what is behind it has to prove itself, by checksums that cover the
        /// number.
        case damaged(StoreError)
    }

    func listFiles() throws(StoreError) -> Set<StoreFile> {
        let names: [String]
        do {
            names = try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.entries(of: directory) }
        } catch {
            throw error.isMissing
                ? StoreError(.notFound, "there is no store at this path", file: directory) : StoreError(error)
        }
        return Set(names.compactMap { StoreFile(name: $0) })
    }

    /// Those names that stand for directories, which is damage where a file belongs.
    mutating func directories(among listed: Set<StoreFile>) throws(StoreError) -> Set<StoreFile> {
        var directories: Set<StoreFile> = []
        for file in listed.sorted(by: { $0.name < $1.name }) {
            let path = path(file)
            let attributes = try storeErrors { () throws(FileSystemError) in
                try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.attributes(of: path) }
            }
            guard attributes?.isDirectory == true else { continue }
            lose(file, nil, "there is a directory in the place of the file")
            directories.insert(file)
        }
        return directories
    }

    /// Reads a file's header.
    /// - Returns: what it says; nil for files that have none.
    /// - Throws: ``StoreError/Code/unsupportedFormat`` where a newer release has written it, or where the disk fails.
    func header(of file: StoreFile) throws(StoreError) -> Result<FileHeader, StoreError>? {
        guard let kind = file.headerKind else { return nil }
        let opened = try storeErrors { () throws(FileSystemError) in
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.open(path(file), .read) }
        }
        do throws(StoreError) {
            let head = try HeapBytes.read(opened, offset: 0, count: FileHeader.size)
            defer { withExtendedLifetime(head) {} }
            return .success(
                try FileHeader(
                    anyOwner: head.bytes, kind: kind, path: path(file),
                    knownFeatures: kind == .segment ? SegmentFormat.knownFeatures : 0))
        } catch {
            guard error.code == .corrupt else { throw error }
            return .failure(error)
        }
    }

    /// What a file's header says of whose it is.
    func claim(of file: StoreFile) throws(StoreError) -> Claim {
        switch try header(of: file) {
        case nil: return .ours
        case .failure(let error): return .damaged(error)
        case .success(let header):
            do throws(StoreError) {
                try header.checkOwner(store: identity, number: file.number ?? 0, path: path(file))
                return .ours
            } catch { return header.store == identity ? .damaged(error) : .foreign(error) }
        }
    }

    /// The store's identity is that of most of its files: one of them may be another store's, be it the manifest.
    mutating func findIdentity(_ present: Set<StoreFile>) throws(StoreError) {
        var votes: [StoreIdentity: Int] = [:]
        for file in present {
            guard case .success(let header) = try header(of: file) else { continue }
            // The manifest decides between two.
            votes[header.store, default: 0] += header.kind == .manifest ? 3 : 2
        }
        if let most = votes.max(by: { $0.value < $1.value }) { identity = most.key }
    }

    // MARK: The manifest

    /// Takes from the manifest what can be had: the one that `CURRENT` names, else the newest that can be read.
    mutating func readManifest(_ present: Set<StoreFile>) throws(StoreError) {
        var candidates = present.compactMap { file -> UInt64? in
            if case .manifest(let number) = file { number } else { nil }
        }.sorted(by: >)
        var hasCurrent = false
        do throws(StoreError) {
            if let current = try CurrentFile.read(in: directory, fileSystem) {
                hasCurrent = true
                candidates.removeAll { $0 == current }
                candidates.insert(current, at: 0)
            } else {
                lose(.current, nil, "the file is missing")
            }
        } catch {
            let isDirectory = error.errorNumber == Platform.isADirectory  // told already
            guard error.isDamage || isDirectory else { throw error }
            if !isDirectory { lose(.current, error.offset, error.message) }
        }
        for number in candidates {
            let (state, reachesEnd) = try readEdits(number)
            guard let state else { continue }
            known = state
            manifestNumber = number
            trustsManifest = reachesEnd && hasCurrent && number == candidates.first
            if trustsManifest, try !isWholeManifest(present) { trustsManifest = false }
            return
        }
        lose(.current, nil, "no manifest can be read: removed keys may come back, and order is taken from the records")
    }

    private mutating func readEdits(
        _ number: UInt64
    ) throws(StoreError) -> (ManifestState?, reachesEnd: Bool) {
        let file = StoreFile.manifest(number)
        var state = ManifestState()
        var edits = 0
        do throws(StoreError) {
            var reader = try FrameReader(
                fileSystem, path: path(file), kind: .manifest, store: identity, number: number, mapped: false)
            while let frame = try reader.next() {
                guard frame.kind == .edit else { continue }
                try state.apply(
                    try VersionEdit(frame.payload, path: path(file), offset: frame.offset), path: path(file),
                    offset: frame.offset)
                edits += 1
            }
            if case .damaged(let fault, let proof) = reader.tail() { throw reader.corruption(fault, proof) }
            return (edits > 0 ? state : nil, true)
        } catch {
            // `CURRENT` may name one that does not exist, or that is a directory.
            let isMissing = [Platform.noSuchFile, Platform.isADirectory].contains(error.errorNumber)
            guard error.isDamage || isMissing else { throw error }
            lose(file, error.offset, error.message)
            return (edits > 0 ? state : nil, false)
        }
    }

    /// Whether nothing speaks for edits that the manifest has lost at its end, behind which it reads well: files that it
    /// names and that are gone, changes in a log that it does not name.
    private func isWholeManifest(_ present: Set<StoreFile>) throws(StoreError) -> Bool {
        guard known.liveFiles.isSubset(of: present) else { return false }
        let oldest = known.logs.first ?? manifestNumber
        for case .log(let number) in present where !known.logs.contains(number) && number >= oldest {
            if try holdsBatch(number) { return false }
        }
        return true
    }

    /// Whether a log has a whole batch anywhere, be its header or what is before the batch damaged.
    private func holdsBatch(_ number: UInt64) throws(StoreError) -> Bool {
        let contents = try storeErrors { () throws(FileSystemError) in
            try FileContents(
                try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.open(path(.log(number)), .read)
                },
                mapped: false)
        }
        var pieces = LogSalvage(contents.bytes, header: FileHeader(kind: .log, store: identity, number: number))
        while let piece = pieces.next() {
            if case .frame(let frame, _) = piece, frame.kind == .batch { return true }
        }
        return false
    }
}
