import Dispatch

/// Reads the live logs of a store into memtables. If a log ends early, decides whether a crash tore its tail or it is
/// damaged (`Docs/Format.md`, "Recovery").
struct LogRecovery {
    /// A log that was read.
    struct RecoveredLog {
        var number: UInt64
        var header: FileHeader
        /// Offset of the end of its valid frames.
        var end: Int
        /// The checksum of its last valid frame, or of the header if there is none.
        var lastChecksum: UInt32
        /// Its changes.
        var table: MemTable
        /// The value files to which its changes refer.
        var valueFiles: Set<UInt64>
        /// Bytes of the values in these files to which they refer.
        var valueBytes = 0
        /// For each frame and value file, the first value to which the frame refers.
        var firstValues: [FirstValue] = []
        /// The frames before this offset, and the values to which they refer, are known to be synced.
        var syncedEnd = 0
        /// True if a link frame was read. False for a log that was never used, for one whose link frame is unreadable,
        /// and for one that is emptied because an earlier log is torn.
        var isLinked: Bool
        /// The last sequence number used up to the end of this log.
        var lastSequence: SequenceNumber
        /// The error of a missing value, if that is the reason why the first frame after `end` was rejected.
        var missingValueError: StoreError?

        /// The error for a log that ends too early. If a damaged value is the cause, the error names the value.
        func lostEnd(_ why: String, path: String) -> StoreError {
            guard let missingValueError, let file = missingValueError.file else {
                return .corrupt("the log cannot be read from here on: \(why)", file: path, offset: end)
            }
            return .corrupt(
                "\(StoreError.withoutAdvice(missingValueError.message)); the log \(path) refers to this value at "
                    + "offset \(end) and cannot be read from there on: \(why)",
                file: file, offset: missingValueError.offset)
        }
    }

    /// The first value in a value file to which a frame refers.
    struct FirstValue {
        /// Offset of the frame in the log.
        var frame: Int
        /// Number of the value file.
        var file: UInt64
        /// Offset of the value's record in the value file.
        var offset: UInt64
    }

    private let directory: StoreDirectory
    /// The manifest, as far as it is valid.
    private let manifest: Manifest.Found
    private var state: ManifestState { manifest.state }
    private let version: Version
    /// The logs that were read, oldest first.
    private var logs: [RecoveredLog] = []
    /// The last sequence number that was recovered.
    private(set) var lastSequence: SequenceNumber

    init(_ directory: StoreDirectory, _ manifest: Manifest.Found, _ version: Version) {
        self.directory = directory
        self.manifest = manifest
        self.version = version
        lastSequence = manifest.state.lastSequence
    }

    /// The memtables for a read-only store, oldest first.
    var tables: [LoggedTable] {
        logs.map { log in
            let path = directory.path(of: .log(log.number))
            return LoggedTable(
                table: log.table, log: nil, valueFiles: log.valueFiles, valueBytes: log.valueBytes,
                recovered: LogExtent(path: path, number: log.number, end: log.end))
        }
    }

    /// True if a clean close was the last change of the store that is on the disk: nothing follows it in the manifest,
    /// and there is exactly one log, which ends where the manifest says that it ended at the close.
    ///
    /// The end of the log alone does not suffice. A crash may have lost the frames of a later session, whose edits have
    /// named new files.
    var isAsClosed: Bool {
        guard manifest.isClosed, let closing = state.closing, logs.count == 1, let log = logs.first else {
            return false
        }
        return log.isLinked && closing.log == log.number && closing.end == UInt64(log.end)
    }

    // MARK: Reading

    /// Reads all live logs, oldest first.
    mutating func readLogs() throws(StoreError) {
        /// The log that has lost its end, if any. Later logs contain only changes that followed the lost ones.
        var torn: RecoveredLog?
        for number in state.logs {
            var reader = try FrameReader(
                directory.fileSystem, path: directory.path(of: .log(number)), kind: .log, store: directory.identity,
                number: number, mapped: directory.configuration.access == .mapped)
            if torn == nil, let log = try read(&reader, number, after: logs.last) {
                // Checked only if there are earlier logs, because it may scan the space after the end of the frames.
                if !logs.isEmpty, reader.provesEarlierLogsSynced() {
                    for index in logs.indices { logs[index].syncedEnd = logs[index].end }
                }
                logs.append(log)
                lastSequence = log.lastSequence
                continue
            }
            torn = torn ?? logs.last
            if let torn { try requireNoProof(&reader, number, torn) }
            // The reader has no frames left, so this makes an empty memtable of minimal size.
            logs.append(try emptied(reader, number))
        }
    }

    /// Reads one log to its end.
    /// - Returns: the log; nil if its link shows that the previous log has lost its end. The rest of this log was then
    ///   not read.
    private func read(
        _ reader: inout FrameReader, _ number: UInt64, after previous: RecoveredLog?
    ) throws(StoreError) -> RecoveredLog? {
        var log = try emptied(reader, number)
        while let frame = try reader.next() {
            switch frame.kind {
            case .link:
                log.isLinked = true
                if try missesEnd(of: previous, decodeLink(frame, reader), reader) { return nil }
            case .batch: try apply(frame, to: &log, &reader)
            case .close: continue  // a log that was resumed after a clean close has frames after it
            case .edit:
                throw .corrupt("a log holds a frame of a manifest", file: reader.path, offset: frame.offset)
            }
        }
        log.end = reader.end
        log.lastChecksum = reader.lastChecksum
        log.syncedEnd = reader.syncedMark
        if let closing = state.closing, closing.log == number {
            log.syncedEnd = max(log.syncedEnd, Int(clamping: closing.end))
        }
        try checkTail(reader, log)
        return log
    }

    /// Compares a log's link with the previous log and with the last sequence number so far.
    /// - Returns: true if the previous log has lost its end.
    /// - Throws: ``StoreError/Code/corrupt`` if they contradict each other in any other way.
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

    /// Decodes a link frame, which must be the first frame of its log.
    private func decodeLink(_ frame: Frame, _ reader: FrameReader) throws(StoreError) -> LogLink {
        guard frame.offset == FileHeader.size, let link = LogLink(frame.payload), link.lastSequence <= .greatest else {
            throw .corrupt("a link frame is malformed or out of place", file: reader.path, offset: frame.offset)
        }
        return link
    }

    /// Applies a batch to the memtable. Rejects a frame that refers to a missing value, as if the frame were torn.
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
        try batch.check(in: reader.path)
        if let missing = try missingValue(batch, frame, reader) {
            reader.rejectLast("its value is missing")
            log.missingValueError = missing
            return
        }
        batch.forEach { change in
            log.table.apply(change)
            if change.kind == .pointer, let pointer = ValuePointer(change.value) {
                log.record(pointer, key: change.key.count, frame: frame.offset)
            }
        }
        log.lastSequence = batch.lastSequence
    }

    /// Checks that the values to which a batch points exist and match their checksums. They may be in the page cache
    /// only (``syncValueFiles()``).
    /// - Returns: the error of the first missing value; nil if none is missing.
    /// - Throws: ``StoreError/Code/corrupt`` if the manifest does not name a value file at all. No crash can cause
    ///   that, because the manifest durably names each file before anything refers to it.
    /// - Complexity: O(bytes of the values), all of which are read. The values of a memtable are bounded
    ///   (``LoggedTable/valueBytes``).
    private func missingValue(
        _ batch: RecoveredBatch, _ frame: Frame, _ reader: FrameReader
    ) throws(StoreError) -> StoreError? {
        try batch.firstResult { change throws(StoreError) -> StoreError? in
            // The change reader has checked the size of each pointer, so `ValuePointer` never returns nil here.
            guard change.kind == .pointer, let pointer = ValuePointer(change.value) else { return nil }
            guard let file = version.valueFiles[pointer.file] else {
                throw .corrupt(
                    "the manifest has lost its end: it does not name \(StoreFile.values(pointer.file).name), to which "
                        + "\(reader.path) refers at offset \(frame.offset)",
                    file: manifest.path, offset: manifest.end)
            }
            do throws(StoreError) { try file.withValue(pointer, key: change.key) { _ in } } catch {
                guard error.code == .corrupt else { throw error }
                return error
            }
            return nil
        }
    }

    // MARK: Ends of logs

    /// Accepts the end of a log if it is the real end or a torn tail. Resuming the log cuts a torn tail off.
    /// - Throws: ``StoreError/Code/corrupt`` if it is proven, or cannot be ruled out (``DamageProof/undecided``), that
    ///   data after the end was synced.
    private func checkTail(_ reader: FrameReader, _ log: RecoveredLog) throws(StoreError) {
        if let closing = state.closing, closing.log == log.number, UInt64(log.end) < closing.end {
            throw log.lostEnd("when the store was closed it ended at offset \(closing.end)", path: reader.path)
        }
        if case .damaged(let fault, let proof) = reader.tail() {
            throw log.lostEnd("\(fault), and \(proof)", path: reader.path)
        }
    }

    /// Checks a log that follows a torn one. It is accepted only if nothing proves that it was ever synced.
    /// - Throws: ``StoreError/Code/corrupt`` if this log or the manifest proves that the torn log had more on stable
    ///   storage, or if it is proven, or cannot be ruled out, that data after the end of this log was synced.
    private func requireNoProof(
        _ reader: inout FrameReader, _ number: UInt64, _ torn: RecoveredLog
    ) throws(StoreError) {
        while try reader.next() != nil {}
        // Closing seals and syncs the earlier logs before it records the end of the last one.
        let wasClosed = state.closing.map { $0.log == number && $0.end >= UInt64(LogLink.end) } ?? false
        if wasClosed || reader.provesLoss(ofLog: torn.number, endingAt: torn.end) {
            throw torn.lostEnd(
                "\(wasClosed ? manifest.path : reader.path) proves that there was more on stable storage",
                path: directory.path(of: .log(torn.number)))
        }
        if case .damaged(let fault, let proof) = reader.tail() { throw reader.corruption(fault, proof) }
    }

    /// From this size on, another thread prefaults the memtable. For smaller ones, handing over costs about as much as
    /// it saves. The exact value was not measured.
    private static let minPrefaultBytes = 4 << 20

    /// Returns a log without frames. Its memtable has room for the frames that `reader` has not read yet.
    private func emptied(_ reader: FrameReader, _ number: UInt64) throws(StoreError) -> RecoveredLog {
        let size = try Self.size(reader)
        let table = try MemTable.make(directory.configuration, for: size, nil)
        let bytes = size.bytes + size.count * MemTableEntry.headerSize
        if bytes >= Self.minPrefaultBytes {
            // On another core: otherwise page faults take a third of the insert time. May run concurrently with the
            // inserts, and keeps the memtable alive.
            DispatchQueue(label: "siltstone.recovery").async { table.prepare(ahead: bytes, upTo: bytes) }
        }
        return RecoveredLog(
            number: number, header: reader.header, end: FileHeader.size, lastChecksum: reader.fileChecksum,
            table: table, valueFiles: [], isLinked: false, lastSequence: lastSequence)
    }

    /// The memory that the changes of a log's unread frames need. Counted beforehand, because many small changes need
    /// several times the bytes that they take in the log.
    private static func size(_ reader: FrameReader) throws(StoreError) -> ChangeSize {
        var reader = reader
        var size = ChangeSize.nothing
        while let frame = try reader.next() { size.add(RecoveredBatch(frame)) }
        return size
    }

    // MARK: Unnamed logs

    /// Checks that logs which the manifest does not name contain no changes, because a log is named before a batch is
    /// written to it.
    ///
    /// Skips logs that are older than the oldest named log, or older than the manifest if it names none. Their changes
    /// are in segments, or a repair has put them aside.
    /// - Parameters:
    ///   - present: the files in the directory.
    ///   - number: the number of the manifest.
    /// - Throws: ``StoreError/Code/corrupt`` if one of the other logs may contain changes, because the manifest has
    ///   then lost its end; the errors of ``mayHoldChanges(_:of:in:_:)``.
    func checkUnnamedLogs(_ present: Set<StoreFile>, manifest number: UInt64) throws(StoreError) {
        let oldest = state.logs.first ?? number
        for case .log(let number) in present where !state.logs.contains(number) && number >= oldest {
            guard
                try Self.mayHoldChanges(
                    number, of: directory.identity, in: directory.path, directory.configuration)
            else { continue }
            throw .corrupt(
                "the manifest has lost its end: it does not name \(StoreFile.log(number).name), which may hold changes",
                file: manifest.path, offset: manifest.end)
        }
    }

    /// True if the valid frames of a log contain a batch, or if the log has lost its header, so that its frames cannot
    /// be checked (``OrphanFile/hasLostHeader(_:of:)``). False for foreign files, among them logs of other stores.
    /// - Parameter store: the store that the log must belong to; nil if it is unknown, because there is no manifest.
    /// - Throws: ``StoreError/Code/unsupportedFormat`` if a newer release has written the header or a frame; the errors
    ///   of opening and reading the file.
    static func mayHoldChanges(
        _ number: UInt64, of store: StoreIdentity?, in directory: String, _ configuration: Configuration
    ) throws(StoreError) -> Bool {
        let file = StoreFile.log(number)
        let path = file.path(in: directory)
        let contents: FileContents
        do throws(FileSystemError) {
            contents = try FileContents(
                retrying(configuration.fileSystem.open(path, .read)), mapped: configuration.access == .mapped)
        } catch {
            if error.errorNumber == Platform.isADirectory { return false }  // something else has this name
            throw StoreError(error)
        }
        defer { withExtendedLifetime(contents) {} }
        let header: FileHeader
        do { header = try FileHeader(anyOwner: contents.bytes, kind: .log, path: path) } catch {
            guard error.code == .corrupt else { throw error }
            return OrphanFile.hasLostHeader(contents.bytes, of: file)
        }
        guard header.number == number, store == nil || store == header.store else { return false }
        var reader = FrameReader(contents, header: header, path: path)
        while let frame = try reader.next() {
            if frame.kind == .batch { return true }
        }
        return false
    }

    // MARK: Resuming

    /// Makes the logs writable again. Cuts torn tails off on disk, and empties the logs that follow a torn one.
    /// - Returns: the memtables with their logs, oldest first. The last one takes new changes.
    func resumeLogs(_ manifest: Manifest, _ arenas: ArenaPool) throws(StoreError) -> [LoggedTable] {
        try syncValueFiles()
        // The file that took the last values may still hold preallocated space, unless a clean close has released it. It
        // need not be the newest one, because compactions have files of their own.
        if !isAsClosed { for file in version.valueFiles.values { file.releaseSpace() } }
        var tables: [LoggedTable] = []
        var unused: [UInt64] = []
        for log in logs {
            // Unused logs too: they must be empty on disk before the edit that removes them. If the process dies after
            // the edit and before the removal of the file, ``checkUnnamedLogs(_:manifest:)`` would take changes in it
            // for a proof that the manifest has lost its end. A close frame of an unlinked log is cut off, too. No
            // release writes one.
            let writer = try LogWriter.resume(
                directory.fileSystem, path: directory.path(of: .log(log.number)), header: log.header,
                end: log.isLinked ? log.end : FileHeader.size, syncedEnd: log.syncedEnd,
                previous: log.isLinked ? log.lastChecksum : log.header.checksum,
                options: .log(directory.configuration, directory.spare))
            if log.isLinked {
                tables.append(
                    LoggedTable(
                        table: log.table, log: writer, valueFiles: log.valueFiles, valueBytes: log.valueBytes))
            } else {
                // Created ahead of time and never used, or emptied because changes were lost. Not reused: its link
                // would seal the previous log, even one with much space left.
                unused.append(log.number)
            }
        }
        if tables.isEmpty {
            tables.append(try newLog(manifest, arenas, replacing: unused))
        } else if !unused.isEmpty {
            try manifest.append(VersionEdit(removedLogs: unused))  // the opener then removes them as orphans
        }
        return tables
    }

    /// Makes the values durable to which the logs refer. New frames of a resumed log have a synced mark, which says
    /// that the values of earlier frames are durable.
    ///
    /// If only the process died, the values may be in the kernel's page cache only. Nothing else would sync them,
    /// because new values go to another file. If an earlier sync of them failed, another sync alone would not help, so
    /// the values are rewritten first.
    private func syncValueFiles() throws(StoreError) {
        for number in logs.reduce(into: Set<UInt64>(), { $0.formUnion($1.valueFiles) }).sorted() {
            guard let first = logs.compactMap({ $0.firstUnprovenValue(of: number) }).min() else { continue }
            try version.valueFiles[number]?.sync(rewritingFrom: Int(clamping: first))
        }
    }

    /// Creates a log if no log can be continued. Shares no code with ``VersionSet/createLog()``: there is no version
    /// set yet, one edit also removes logs, and the next opening removes what a failed one leaves.
    /// - Parameter unused: logs that the same edit removes. Otherwise recovery would find an unused log before the new
    ///   one, and the new link does not name it.
    private func newLog(
        _ manifest: Manifest, _ arenas: ArenaPool, replacing unused: [UInt64]
    ) throws(StoreError) -> LoggedTable {
        let number = manifest.takeNumber()
        let log = try directory.createLog(number)
        try directory.sync()
        try manifest.append(VersionEdit(addedLogs: [number], removedLogs: unused))
        try log.append(link: LogLink(lastSequence: lastSequence))
        let table = try MemTable.make(directory.configuration, for: .nothing, arenas)
        return LoggedTable(table: table, log: log)
    }
}

extension LogRecovery.RecoveredLog {
    /// Records that a frame refers to a value.
    fileprivate mutating func record(_ pointer: ValuePointer, key: Int, frame: Int) {
        valueBytes += ValueRecord.size(key: key, value: Int(pointer.length))
        valueFiles.insert(pointer.file)
        // Values of a file are in the order of the frames, so the first value of each frame suffices.
        if let last = firstValues.last, last.frame == frame, last.file == pointer.file { return }
        firstValues.append(.init(frame: frame, file: pointer.file, offset: pointer.offset))
    }

    /// The smallest offset in `file` among the values of frames at or after ``syncedEnd``; nil if there are none.
    fileprivate func firstUnprovenValue(of file: UInt64) -> UInt64? {
        firstValues.lazy.filter { $0.file == file && $0.frame >= syncedEnd }.map(\.offset).min()
    }
}
