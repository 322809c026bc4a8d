/// Inventory of a damaged directory: its files, and to which store they belong.
extension StoreRepair {
    /// Returns the names that stand for directories instead of files, and reports each as a loss. The store never
    /// creates such a directory, but something else can, for example a faulty restore.
    mutating func directories(among listed: Set<StoreFile>) throws(StoreError) -> Set<StoreFile> {
        var directories: Set<StoreFile> = []
        for file in listed.sorted(by: { $0.name < $1.name }) {
            let path = path(file)
            let attributes = try storeErrors(retrying(fileSystem.attributes(of: path)))
            guard attributes?.isDirectory == true else { continue }
            lose(file, nil, "there is a directory in the place of the file")
            directories.insert(file)
        }
        return directories
    }

    /// Reads a file's header.
    /// - Returns: the header, or the error of a damaged one; nil for kinds of files without a header.
    /// - Throws: ``StoreError/Code/unsupportedFormat`` if a newer release has written it, or the error of a failed
    ///   read.
    func header(of file: StoreFile) throws(StoreError) -> Result<FileHeader, StoreError>? {
        guard let kind = file.headerKind else { return nil }
        let opened = try storeErrors(retrying(fileSystem.open(path(file), .read)))
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

    /// What is wrong with the header of a file; nil for a header that names this store and the number in the file's
    /// name, and for kinds of files without a header.
    ///
    /// A header that is damaged or names another number does not make a file foreign. The contents are used only if
    /// their checksums, which cover the number, validate them.
    /// - Returns: `isForeign`: the header is intact and names another store.
    func headerFault(of file: StoreFile) throws(StoreError) -> (error: StoreError, isForeign: Bool)? {
        switch try header(of: file) {
        case nil: return nil
        case .failure(let error): return (error, false)
        case .success(let header):
            do throws(StoreError) {
                try header.checkOwner(store: identity, number: file.number ?? 0, path: path(file))
                return nil
            } catch { return (error, header.store != identity) }
        }
    }

    /// Sets the store's identity to that of most files, because any single file, even the manifest, may belong to
    /// another store.
    mutating func findIdentity(_ present: Set<StoreFile>) throws(StoreError) {
        var votes: [StoreIdentity: Int] = [:]
        for file in present {
            guard case .success(let header) = try header(of: file) else { continue }
            // Each file has two votes and the manifest three, so that the manifest decides a tie.
            votes[header.store, default: 0] += header.kind == .manifest ? 3 : 2
        }
        if let most = votes.max(by: { $0.value < $1.value }) { identity = most.key }
    }

    // MARK: The manifest

    /// Reads the state from the manifest that `CURRENT` names. If that yields nothing, reads it from the newest
    /// readable manifest.
    mutating func readManifest(_ present: Set<StoreFile>) throws(StoreError) {
        var candidates = Array(present.numbers(of: .manifest).reversed())
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
            // If a directory has the name `CURRENT`, the read fails with `EISDIR`. The file is lost, so this is damage.
            let isDirectory = error.errorNumber == Platform.isADirectory  // already reported
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

    /// Reads the edits of a manifest up to the first damage, which is reported as a loss. Not one piece
    /// with ``StoreOpener/readManifest(_:)``: that one refuses damage, frames of a log, and states that fail its checks.
    /// - Returns: the state after the intact edits, nil if there are none; and true if there was no damage.
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
            // `CURRENT` may name a manifest that does not exist or is a directory (`EISDIR`). Either means that the
            // file is lost. That is damage, and not a failed read of the disk.
            let isMissing = [Platform.noSuchFile, Platform.isADirectory].contains(error.errorNumber)
            guard error.isDamage || isMissing else { throw error }
            lose(file, error.offset, error.message)
            return (edits > 0 ? state : nil, false)
        }
    }

    /// True if nothing indicates that the manifest has lost edits at its end. Such a manifest reads without errors.
    /// Indications are files that it names and that are missing, and changes in a newer log that it does not name.
    private func isWholeManifest(_ present: Set<StoreFile>) throws(StoreError) -> Bool {
        guard known.liveFiles.isSubset(of: present) else { return false }
        let oldest = known.logs.first ?? manifestNumber
        for case .log(let number) in present where !known.logs.contains(number) && number >= oldest {
            if try holdsBatch(number) { return false }
        }
        return true
    }

    /// True if a log contains an intact batch, even if its header or anything before the batch is damaged. Not one
    /// piece with ``LogRecovery/mayHoldChanges(_:of:in:_:)``: that one stops at damage, as an opening does.
    private func holdsBatch(_ number: UInt64) throws(StoreError) -> Bool {
        let contents = try readLog(number)
        var pieces = LogSalvage(contents.bytes, header: FileHeader(kind: .log, store: identity, number: number))
        while let piece = pieces.next() {
            if case .frame(let frame, _) = piece, frame.kind == .batch { return true }
        }
        return false
    }
}
