extension KeyValueStore {
    /// Makes a damaged store whole again out of everything that its own bytes still prove.
    ///
    /// Segments that are well stay as they are; of damaged ones, and of logs, each block or frame that passes its
    /// checksum is taken. Nothing is invented, and nothing is thrown away: the damaged files are put aside in a directory
    /// inside the store's. A store that is well is not changed.
    /// - Parameters:
    ///   - path: the store's directory. Nobody else may have it open.
    ///   - configuration: how files are read and written.
    ///   - progress: called with a line of text for each step.
    /// - Throws: ``StoreError`` where the store is locked, or the disk fails.
    public static func repair(
        at path: String, configuration: Configuration = Configuration(), progress: ((String) -> Void)? = nil
    ) throws(StoreError) -> RepairReport {
        var repair = StoreRepair(directory: path, configuration: configuration, progress: progress)
        return try repair.run()
    }
}

/// One repair of a store.
///
/// New files are written and synced beside the old ones, and the damaged ones get a second name aside; then a new manifest
/// is put in force: a failure or a crash leaves the store as it was or repaired.
///
/// That something cannot be read now is a failure of the repair, and no damage: the records that it would take for lost
/// may be well. A disk that cannot read them ever again must not be written to anyway, but copied.
struct StoreRepair {
    let directory: String
    let configuration: Configuration
    let fileSystem: any FileSystem
    let progress: ((String) -> Void)?
    var report = RepairReport()

    var identity: StoreIdentity?
    var known = ManifestState()
    /// Whether the manifest could be read to its end, so that files which it does not name hold nothing.
    var trustsManifest = false
    /// The number of the manifest that was read; 0 where none could be.
    private var manifestNumber: UInt64 = 0
    var next = ManifestState()
    var values: [UInt64: ValueFileReader] = [:]
    var damaged: Set<StoreFile> = []
    /// Files that this repair has made.
    var made: [StoreFile] = []
    /// Whether the new manifest was named, so that nobody can tell any more which one a crash would leave in force.
    var mayBeInForce = false

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
            if try Leftover.isOurs(file, in: directory, fileSystem, store: nil) { isStore = true }
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
        let present = try listFiles()
        try readManifest(present)
        // A manifest that lost whole edits at its end reads well, and names files that those have removed.
        if !known.liveFiles.isSubset(of: present) { trustsManifest = false }
        // Or does not name a log that was written to since.
        let unnamed = try LogRecovery.unnamedLog(
            known, present, manifest: manifestNumber, in: directory, configuration)
        if unnamed != nil { trustsManifest = false }
        try findIdentity(present)
        next.nextFileNumber = max(known.nextFileNumber, (present.compactMap(\.number).max() ?? 0) + 1)
        try openValueFiles(present)
        for placed in try segments(present) { try repairSegment(placed, present) }
        for number in known.logs where !present.contains(.log(number)) {
            lose(.log(number), nil, "the file is missing, with all changes that were in no segment yet")
        }
        for number in logs(present) { try repairLog(number, present) }
        try finish(present)
    }

    mutating func lose(_ file: StoreFile, _ offset: Int? = nil, _ message: String) {
        // The advice that goes with damage elsewhere would send the reader in a circle here.
        let message = message.replacing(StoreError.corruptionAdvice, with: "")
        report.losses.append(.init(file: file.path(in: directory), offset: offset, message: message))
    }

    func path(_ file: StoreFile) -> String { file.path(in: directory) }

    mutating func takeNumber() -> UInt64 {
        defer { next.nextFileNumber += 1 }
        return next.nextFileNumber
    }

    // MARK: What there is

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

    private func listFiles() throws(StoreError) -> Set<StoreFile> {
        let names: [String]
        do {
            names = try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.entries(of: directory) }
        } catch {
            throw error.isMissing
                ? StoreError(.notFound, "there is no store at this path", file: directory) : StoreError(error)
        }
        return Set(names.compactMap { StoreFile(name: $0) })
    }

    /// Whether the store opens, and every byte of it is well.
    private mutating func isWell() throws(StoreError) -> Bool {
        progress?("checking every byte")
        do throws(StoreError) {
            // The lock is held already, so the store is opened below it.
            let opener = StoreOpener(
                directory: directory, configuration: readOnly(configuration), fileSystem: fileSystem, lock: nil)
            let engine = try opener.open()
            defer { engine.abandon() }
            let verification = try engine.verify(progress: nil)
            report.recordsKept = verification.recordsChecked
            return verification.problems.isEmpty
        } catch {
            guard error.code == .corrupt || error.code == .notFound else { throw error }
            report.recordsKept = 0
            return false
        }
    }

    private func readOnly(_ configuration: Configuration) -> Configuration {
        var configuration = configuration
        configuration.readOnly = true
        return configuration
    }

    /// Takes from the manifest what can be had: the one that `CURRENT` names, else the newest that can be read.
    private mutating func readManifest(_ present: Set<StoreFile>) throws(StoreError) {
        var candidates = present.compactMap { file -> UInt64? in
            if case .manifest(let number) = file { number } else { nil }
        }.sorted(by: >)
        var hasCurrent = false
        do {
            if let current = try CurrentFile.read(in: directory, fileSystem) {
                hasCurrent = true
                candidates.removeAll { $0 == current }
                candidates.insert(current, at: 0)
            }
        } catch {
            guard error.isDamage else { throw error }
            lose(.current, error.offset, error.message)
        }
        for number in candidates {
            let (state, reachesEnd) = try readEdits(number)
            guard let state else { continue }
            known = state
            manifestNumber = number
            trustsManifest = reachesEnd && hasCurrent && number == candidates.first
            return
        }
        lose(.current, nil, "no manifest can be read: removed keys may come back, and order is taken from file numbers")
    }

    private mutating func readEdits(
        _ number: UInt64
    ) throws(StoreError) -> (ManifestState?, reachesEnd: Bool) {
        let file = StoreFile.manifest(number)
        var state = ManifestState()
        var edits = 0
        do throws(StoreError) {
            var reader = try FrameReader(
                fileSystem, path: path(file), kind: .manifest, store: nil, number: number, mapped: false)
            identity = reader.header.store
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
            // `CURRENT` may name one that does not exist.
            guard error.isDamage || error.errorNumber == Platform.noSuchFile else { throw error }
            lose(file, error.offset, error.message)
            return (edits > 0 ? state : nil, false)
        }
    }

    /// Without a manifest, the store's identity is that of most of its files.
    private mutating func findIdentity(_ present: Set<StoreFile>) throws(StoreError) {
        if identity != nil { return }
        var votes: [StoreIdentity: Int] = [:]
        for file in present {
            let kind: FileHeader.Kind
            switch file {
            case .log: kind = .log
            case .segment: kind = .segment
            case .values: kind = .values
            case .manifest, .current, .currentInTheMaking, .lock: continue
            }
            do throws(StoreError) {
                let contents = try storeErrors { () throws(FileSystemError) in
                    let opened = try fileSystem.retrying { () throws(FileSystemError) in
                        try fileSystem.open(path(file), .read)
                    }
                    return try FileContents(opened, mapped: false)
                }
                let header = try FileHeader(
                    contents.bytes, kind: kind, store: nil, number: file.number ?? 0, path: path(file),
                    knownFeatures: .max)
                votes[header.store, default: 0] += 1
            } catch {
                // Its damage is told when its turn comes; a directory of that name is foreign.
                guard error.isDamage || error.errorNumber == Platform.isADirectory else { throw error }
            }
        }
        identity = votes.max { $0.value < $1.value }?.key ?? .random()
    }

    private mutating func openValueFiles(_ present: Set<StoreFile>) throws(StoreError) {
        for case .values(let number) in present where !trustsManifest || known.valueFiles.contains(number) {
            guard let identity else { return }
            do throws(StoreError) {
                values[number] = try ValueFileReader(
                    fileSystem: fileSystem, path: path(.values(number)), number: number, store: identity, access: .read)
                // A process that died, or a sync that failed, may have left values with the kernel only, and segments are
                // to lead to them. Nothing that is left of a damaged store proves which.
                try values[number]?.sync(rewritingFrom: FileHeader.size)
                next.valueFiles.insert(number)
            } catch {
                guard error.code == .corrupt else { throw error }
                lose(.values(number), error.offset, error.message)
                damaged.insert(.values(number))
            }
        }
    }

    /// Segments of one run must not overlap. Where the manifest's places can no longer be trusted to see to that, a
    /// segment gets a run of its own in level 0.
    mutating func separateOverlaps() {
        let placed = next.segments.values.sorted {
            ($0.level, $0.run, $0.info.firstKey.lexicographicallyPrecedes($1.info.firstKey) ? 0 : 1)
                < ($1.level, $1.run, $0.info.firstKey.lexicographicallyPrecedes($1.info.firstKey) ? 1 : 0)
        }
        for (a, b) in zip(placed, placed.dropFirst()) where a.level == b.level && a.run == b.run {
            if b.info.firstKey.lexicographicallyPrecedes(a.info.lastKey) {
                next.segments[b.info.number]?.level = 0
                next.segments[b.info.number]?.run = b.info.number
            }
        }
    }
}
