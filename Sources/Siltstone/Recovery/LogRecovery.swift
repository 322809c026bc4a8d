import Dispatch

/// Reads the live logs of a store into memtables, and decides, where one ends early, whether that is a crash's torn tail
/// or damage (`Docs/Format.md`, "Recovery").
struct LogRecovery {
    /// A log that was read.
    struct RecoveredLog {
        var number: UInt64
        var header: FileHeader
        /// Where its valid frames end.
        var end: Int
        var lastChecksum: UInt32
        var table: MemTable
        var valueFiles: Set<UInt64>
        /// The values that the frames refer to: of each frame and file the first.
        var values: [FirstValue] = []
        /// Up to where the frames, and the values that they refer to, are known to be on stable storage.
        var proven = 0
        /// Whether a link frame was read: without one the log was never used.
        var isLinked: Bool
        /// The last sequence number used when it ended.
        var lastSequence: SequenceNumber
        /// Why the first frame that was not taken has no value, where that is why it was not.
        var lostValue: StoreError?

        /// The error for a log that ends before its end: of the value, where that is what is damaged.
        func lostEnd(_ why: String, path: String) -> StoreError {
            guard let lostValue, let file = lostValue.file else {
                return .corrupt("the log cannot be read from here on: \(why)", file: path, offset: end)
            }
            return .corrupt(
                "\(StoreError.withoutAdvice(lostValue.message)): \(path) refers to it at offset \(end), "
                    + "where it cannot be read on: \(why)", file: file, offset: lostValue.offset)
        }
    }

    /// The first value in a file that a frame refers to.
    struct FirstValue {
        var frame: Int
        var file: UInt64
        var offset: UInt64
    }

    private let directory: StoreDirectory
    private let state: ManifestState
    /// Where the manifest is, and where its last whole edit ends.
    private let manifest: (path: String, end: Int)
    private let version: Version
    private var logs: [RecoveredLog] = []
    /// The last sequence number that was recovered.
    private(set) var lastSequence: SequenceNumber

    init(
        directory: StoreDirectory, state: ManifestState, manifest: (path: String, end: Int), version: Version
    ) {
        self.directory = directory
        self.manifest = manifest
        self.state = state
        self.version = version
        lastSequence = state.lastSequence
    }

    /// The memtables, oldest first, for a store that is only read.
    var tables: [LoggedTable] {
        logs.map { log in
            let path = directory.path(of: .log(log.number))
            return LoggedTable(
                table: log.table, log: nil, valueFiles: log.valueFiles,
                recovered: LogExtent(path: path, number: log.number, end: log.end))
        }
    }

    /// Whether there is one log, which is as it was when the store was closed in good order.
    var isAsClosed: Bool {
        guard let closing = state.closing, logs.count == 1, let log = logs.first else { return false }
        return log.isLinked && closing.log == log.number && closing.end == UInt64(log.end)
    }

    // MARK: Reading

    /// Reads all live logs, oldest first.
    mutating func readLogs() throws(StoreError) {
        /// Set once a log has lost its end: the logs behind it hold what came after what was lost.
        var torn: RecoveredLog?
        for number in state.logs {
            var reader = try openLog(number)
            if let torn {
                try requireNoProof(&reader, number, torn)
                logs.append(try emptied(reader, number))
                continue
            }
            let previous = logs.last
            let (log, missesEnd) = try read(&reader, number, after: previous)
            if missesEnd, let previous {
                try requireNoProof(&reader, number, previous)
                torn = previous
                logs.append(try emptied(reader, number))
                continue
            }
            // Asked only where there are earlier ones: it may have to look through the space behind the end.
            if !logs.isEmpty, reader.provesEarlierLogs() {
                for index in logs.indices { logs[index].proven = logs[index].end }
            }
            logs.append(log)
            lastSequence = log.lastSequence
        }
    }

    private func openLog(_ number: UInt64) throws(StoreError) -> FrameReader {
        try FrameReader(
            directory.fileSystem, path: directory.path(of: .log(number)), kind: .log, store: directory.identity,
            number: number, mapped: directory.configuration.access == .mapped)
    }

    /// Reads one log to its end.
    /// - Returns: the log; and whether, by its link, the log before has lost its end.
    private mutating func read(
        _ reader: inout FrameReader, _ number: UInt64, after previous: RecoveredLog?
    ) throws(StoreError) -> (RecoveredLog, missesEnd: Bool) {
        var log = try emptied(reader, number)
        while let frame = try reader.next() {
            switch frame.kind {
            case .link:
                log.isLinked = true
                if try missesEnd(of: previous, self.link(frame, reader), reader) { return (log, true) }
            case .batch: try apply(frame, to: &log, &reader)
            case .close: continue
            case .edit:
                throw .corrupt("a log holds a frame of a manifest", file: reader.path, offset: frame.offset)
            }
        }
        log.end = reader.end
        log.lastChecksum = reader.lastChecksum
        log.proven = reader.syncedMark
        if let closing = state.closing, closing.log == number {
            log.proven = max(log.proven, Int(clamping: closing.end))
        }
        try checkTail(reader, log)
        return (log, false)
    }

    /// Compares a log's link with the log before, and with the last sequence number so far.
    /// - Returns: whether the log before has lost its end.
    private func missesEnd(
        of previous: RecoveredLog?, _ link: LogLink, _ reader: FrameReader
    ) throws(StoreError) -> Bool {
        if let previous {
            if link.log == previous.number, link.end > UInt64(previous.end) { return true }
            guard link.log == previous.number, link.end == UInt64(previous.end),
                link.checksum == previous.lastChecksum
            else {
                throw .corrupt(
                    "the log follows \(StoreFile.log(link.log).name) at offset \(link.end); the log before it is "
                        + "\(StoreFile.log(previous.number).name), which ends at offset \(previous.end)",
                    file: reader.path, offset: FileHeader.size)
            }
        }
        guard link.lastSequence == lastSequence else {
            throw .corrupt(
                "the log follows sequence number \(link.lastSequence), and the changes before it end with \(lastSequence)",
                file: reader.path, offset: FileHeader.size)
        }
        return false
    }

    private func link(_ frame: Frame, _ reader: FrameReader) throws(StoreError) -> LogLink {
        guard frame.offset == FileHeader.size, let link = LogLink(frame.payload), link.lastSequence <= .greatest else {
            throw .corrupt("a link frame is malformed or out of place", file: reader.path, offset: frame.offset)
        }
        return link
    }

    /// Puts a batch into the memtable. A frame that refers to a value that is not there counts as torn.
    private func apply(
        _ frame: Frame, to log: inout RecoveredLog, _ reader: inout FrameReader
    ) throws(StoreError) {
        guard log.isLinked else {
            throw .corrupt("the log begins with a batch and no link frame", file: reader.path, offset: frame.offset)
        }
        guard frame.firstSequence == log.lastSequence + 1 else {
            throw .corrupt(
                "a batch has sequence number \(frame.firstSequence), \(log.lastSequence + 1) was expected",
                file: reader.path, offset: frame.offset)
        }
        let batch = RecoveredBatch(frame)
        do throws(MalformedChange) { try batch.check() } catch {
            throw .corrupt(
                "a batch is malformed at byte \(error.offset) of its changes", file: reader.path, offset: frame.offset)
        }
        if let missing = try missingValue(batch, frame, reader) {
            reader.rejectLast("its value is missing")
            log.lostValue = missing
            return
        }
        batch.forEach { change in
            log.table.apply(change)
            if change.kind == .pointer, let pointer = ValuePointer(change.value) {
                log.note(pointer, frame: frame.offset)
            }
        }
        log.lastSequence = batch.lastSequence
    }

    /// Checks that the values which a batch points to have reached the disk.
    /// - Returns: why one of them is missing.
    /// - Throws: ``StoreError/Code/corrupt`` where a whole value file is: the manifest names each one, durably, before
    ///   anything refers to it, so that no crash can bring this about.
    private func missingValue(
        _ batch: RecoveredBatch, _ frame: Frame, _ reader: FrameReader
    ) throws(StoreError) -> StoreError? {
        try batch.firstResult { change throws(StoreError) -> StoreError? in
            guard change.kind == .pointer, let pointer = ValuePointer(change.value) else { return nil }
            guard let file = version.valueFiles[pointer.file] else {
                throw .corrupt(
                    "the manifest has lost its end: it does not name \(StoreFile.values(pointer.file).name), to which "
                        + "\(reader.path) refers at offset \(frame.offset)", file: manifest.path, offset: manifest.end)
            }
            do throws(StoreError) { try file.withValue(pointer, key: change.key) { _ in } } catch {
                guard error.code == .corrupt else { throw error }
                return error
            }
            return nil
        }
    }

    // MARK: Judging ends

    /// Accepts the end of a log, if it is its end or something torn, which is cut off when the log is resumed.
    /// - Throws: ``StoreError/Code/corrupt`` where what follows is proved to have been on stable storage.
    private func checkTail(_ reader: FrameReader, _ log: RecoveredLog) throws(StoreError) {
        if let closing = state.closing, closing.log == log.number, UInt64(log.end) < closing.end {
            throw log.lostEnd("when the store was closed it ended at offset \(closing.end)", path: reader.path)
        }
        if case .damaged(let fault, let proof) = reader.tail() {
            throw log.lostEnd("\(fault), and \(proof)", path: reader.path)
        }
    }

    /// A log behind a torn one may only hold what was never synced.
    private func requireNoProof(
        _ reader: inout FrameReader, _ number: UInt64, _ torn: RecoveredLog
    ) throws(StoreError) {
        while try reader.next() != nil {}
        // Closing seals and syncs the logs before that which it notes.
        let wasClosed = state.closing.map { $0.log == number && $0.end >= UInt64(LogLink.end) } ?? false
        if wasClosed || reader.provesLoss(ofLog: torn.number, endingAt: torn.end) {
            throw torn.lostEnd(
                "\(wasClosed ? manifest.path : reader.path) proves that there was more on stable storage",
                path: directory.path(of: .log(torn.number)))
        }
        if case .damaged(let fault, let proof) = reader.tail() { throw reader.corruption(fault, proof) }
    }

    /// From how many bytes of a memtable on its memory is prepared by another thread.
    private static let leastToPrepare = 4 << 20

    private func emptied(_ reader: FrameReader, _ number: UInt64) throws(StoreError) -> RecoveredLog {
        let size = try Self.size(reader)
        let table = try MemTable.make(directory.configuration, for: size, nil)
        let bytes = size.bytes + size.count * MemTableEntry.headerSize
        if bytes >= Self.leastToPrepare {
            // On another core: the clearing of memory would take a third of the time that the inserts take.
            DispatchQueue(label: "siltstone.recovery").async { table.prepare(ahead: bytes, upTo: bytes) }
        }
        return RecoveredLog(
            number: number, header: reader.header, end: FileHeader.size, lastChecksum: reader.fileChecksum,
            table: table, valueFiles: [], isLinked: false, lastSequence: lastSequence)
    }

    /// What the changes of a log need in memory. Counted beforehand: many small changes need several times the bytes
    /// that they take in the log.
    private static func size(_ reader: FrameReader) throws(StoreError) -> ChangeSize {
        var reader = reader
        var size = ChangeSize(keyBytes: 0, valueBytes: 0, count: 0)
        while let frame = try reader.next() {
            size.add(RecoveredBatch(frame))
        }
        return size
    }

    // MARK: Logs that nobody names

    /// A log that the manifest does not name must hold nothing: it is named before anything is written to it.
    ///
    /// But for those that are older than the oldest one that is named, or, where none is, than the manifest: what they hold
    /// is in segments, or was put aside by a repair.
    func checkUnnamedLogs(_ present: Set<StoreFile>, manifest number: UInt64) throws(StoreError) {
        let oldest = state.logs.first ?? number
        for case .log(let number) in present where !state.logs.contains(number) && number >= oldest {
            guard try Self.holdsChanges(number, in: directory.path, directory.configuration) else { continue }
            throw .corrupt(
                "the manifest has lost its end: it does not name \(StoreFile.log(number).name), which holds changes",
                file: manifest.path, offset: manifest.end)
        }
    }

    /// Whether a log has a batch.
    static func holdsChanges(
        _ number: UInt64, in directory: String, _ configuration: Configuration
    ) throws(StoreError) -> Bool {
        var reader: FrameReader
        do {
            reader = try FrameReader(
                configuration.fileSystem, path: StoreFile.log(number).path(in: directory), kind: .log, store: nil,
                number: number, mapped: configuration.access == .mapped)
        } catch {
            // Not even a header: a log in the making. Or a directory of that name, which is foreign.
            if error.code == .corrupt || error.errorNumber == Platform.isADirectory { return false }
            throw error
        }
        while let frame = try reader.next() {
            if frame.kind == .batch { return true }
        }
        return false
    }

    // MARK: Going on

    /// Makes the logs writable again: torn tails are cut off on disk, and logs behind one are emptied.
    /// - Returns: the memtables with their logs, oldest first; the last one takes the changes to come.
    func resumeLogs(_ manifest: Manifest, _ arenas: ArenaPool) throws(StoreError) -> [LoggedTable] {
        try syncValueFiles()
        // The last one that took values. Those before it were full, and cut when the next one was begun.
        if !isAsClosed { version.valueFiles.max { $0.key < $1.key }?.value.releaseSpace() }
        var tables: [LoggedTable] = []
        var unused: [UInt64] = []
        for log in logs {
            let writer = try LogWriter.resume(
                directory.fileSystem, path: directory.path(of: .log(log.number)), header: log.header,
                end: log.isLinked ? log.end : FileHeader.size, proven: log.proven,
                previous: log.isLinked ? log.lastChecksum : log.header.checksum, options: .log(directory.configuration))
            // One that was made ahead of time and never used, or was emptied for what came before it was lost. To go on
            // with it would seal the one before, however little that holds.
            if !log.isLinked {
                unused.append(log.number)
                continue
            }
            tables.append(LoggedTable(table: log.table, log: writer, valueFiles: log.valueFiles))
        }
        if tables.isEmpty {
            tables.append(try newLog(manifest, arenas, replacing: unused))
        } else if !unused.isEmpty {
            var edit = VersionEdit()
            edit.removedLogs = unused
            try manifest.append(edit)  // the files then go as leftovers
        }
        return tables
    }

    /// Brings the values that the logs refer to to stable storage, before a log that goes on vouches for its frames.
    ///
    /// After the death of the process alone they may be with the kernel only, and nobody else would ever sync them:
    /// the file that takes values from now on is another one. After a failed sync not even a sync would.
    private func syncValueFiles() throws(StoreError) {
        for number in logs.reduce(into: Set<UInt64>(), { $0.formUnion($1.valueFiles) }).sorted() {
            guard let first = logs.compactMap({ $0.firstUnprovenValue(of: number) }).min() else { continue }
            try version.valueFiles[number]?.sync(rewritingFrom: Int(clamping: first))
        }
    }

    /// Makes a log where there is none to go on with.
    /// - Parameter unused: logs that it replaces, in the same edit: the link of a log must not find another one before it
    ///   that it does not follow.
    private func newLog(
        _ manifest: Manifest, _ arenas: ArenaPool, replacing unused: [UInt64]
    ) throws(StoreError) -> LoggedTable {
        let number = manifest.takeNumber()
        let log = try directory.createLog(number)
        try directory.sync()
        var edit = VersionEdit()
        edit.addedLogs = [number]
        edit.removedLogs = unused
        try manifest.append(edit)
        try log.append(link: LogLink(lastSequence: lastSequence))
        let table = try MemTable.make(directory.configuration, for: .nothing, arenas)
        return LoggedTable(table: table, log: log)
    }
}

extension LogRecovery.RecoveredLog {
    /// Enters that a frame refers to a value.
    fileprivate mutating func note(_ pointer: ValuePointer, frame: Int) {
        valueFiles.insert(pointer.file)
        // Values of one file come in the order of the frames, so the first of a frame is enough.
        if let last = values.last, last.frame == frame, last.file == pointer.file { return }
        values.append(.init(frame: frame, file: pointer.file, offset: pointer.offset))
    }

    /// Where the first value begins, in a file, that no proven frame refers to.
    fileprivate func firstUnprovenValue(of file: UInt64) -> UInt64? {
        values.lazy.filter { $0.file == file && $0.frame >= proven }.map(\.offset).min()
    }
}
