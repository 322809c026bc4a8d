/// Verifies a store: its manifest, logs, segments and value files.
struct StoreVerifier {
    private let versions: VersionSet
    private var directory: StoreDirectory { versions.directory }
    /// The segments and value files to check.
    private let version: Version
    /// The logs to check, up to their ends when the verification started.
    private let logs: [LogExtent]
    private let progress: ((VerificationProgress) -> Void)?
    private var report = VerificationReport()
    /// The value files that were read last.
    private var valueFiles: [UInt64: ValueFileReader] = [:]
    private static let mostValueFiles = 64
    /// Bytes to read, without the manifest.
    private let total: Int

    /// Verifies an open store. During the call no file is removed, although writers and compactions may replace files.
    static func verify(
        _ versions: VersionSet, _ writes: WritePath, progress: ((VerificationProgress) -> Void)?
    ) throws(StoreError) -> VerificationReport {
        try versions.status.checkOpen()
        return try versions.obsolete.holding { () throws(StoreError) in
            let (version, tables) = writes.contents
            let logs = tables.compactMap(\.extent)
            let total =
                version.allSegments.reduce(0) { $0 + $1.info.fileBytes }
                + version.valueFiles.values.reduce(0) { $0 + $1.length.bytes } + logs.reduce(0) { $0 + $1.end }
            var verifier = StoreVerifier(
                versions: versions, version: version, logs: logs, progress: progress, total: total)
            return try verifier.run()
        }
    }

    /// Checks all files.
    /// - Throws: ``StoreError`` if a file cannot be read, or the store is closing. Does not throw for damage.
    mutating func run() throws(StoreError) -> VerificationReport {
        try checkManifest()
        for log in logs { try check(log) }
        for segment in version.allSegments { try check(segment) }
        for file in version.valueFiles.values.sorted(by: { $0.number < $1.number }) { try check(file) }
        return report
    }

    /// Starts the check of a file. Throws if the store is closing, because closing waits for the verification and
    /// should not wait long.
    private func begin(_ file: String) throws(StoreError) {
        try versions.status.checkOpen()
        progress?(VerificationProgress(bytesChecked: report.bytesChecked, bytesTotal: total, file: file))
    }

    /// Reads `CURRENT` and the manifest again, and compares them with the state in memory.
    private mutating func checkManifest() throws(StoreError) {
        // Reads the file by calls, because a read that the disk refuses is SIGBUS in a mapping.
        var configuration = directory.configuration
        configuration.access = .read
        let opener = StoreOpener(directory: directory.path, configuration: configuration)
        let path = directory.path(of: .current)
        do throws(StoreError) {
            // Holds the manifest lock, so that no edit is appended between reading the file and comparing it.
            try versions.withManifest { manifest throws(StoreError) in
                guard let number = try CurrentFile.read(in: directory.path, directory.fileSystem) else {
                    throw .corrupt("CURRENT does not exist", file: path)
                }
                let read = try opener.readManifest(number)
                report.bytesChecked += read.end
                if let manifest {
                    // File numbers may have been taken since the last edit.
                    var (found, known) = (read.state, manifest.state)
                    (found.nextFileNumber, known.nextFileNumber) = (0, 0)
                    if found != known {
                        throw .corrupt("the manifest on disk is not what was written", file: read.path)
                    }
                }
            }
        } catch { try report.problems.append(damage: error, in: path) }
        report.filesChecked += 2
    }

    /// Checks a log's frames and changes, up to its end at the start of the verification. Reads the file by calls, as
    /// ``checkManifest()`` does.
    private mutating func check(_ log: LogExtent) throws(StoreError) {
        try begin(log.path)
        let end = log.end
        report.filesChecked += 1
        do throws(StoreError) {
            var reader = try FrameReader(
                directory.fileSystem, path: log.path, kind: .log, store: directory.identity, number: log.number,
                mapped: false)
            while reader.end < end, let frame = try reader.next() {
                guard frame.kind == .batch else { continue }
                let batch = RecoveredBatch(frame)
                try batch.check(in: log.path)
                try batch.forEach { change throws(StoreError) in
                    report.recordsChecked += 1
                    try checkValue(of: change, in: log.path)
                }
            }
            if reader.end < end {
                throw .corrupt(
                    "the log cannot be read up to its end at offset \(end)", file: log.path, offset: reader.end)
            }
        } catch { try report.problems.append(damage: error, in: log.path) }
        report.bytesChecked += end
    }

    /// Checks a segment, and the values to which it refers.
    private mutating func check(_ segment: SegmentReader) throws(StoreError) {
        try begin(segment.path)
        let before = report.bytesChecked
        var bytes = 0
        let (progress, total) = (progress, total)
        report.problems += try segment.verify { more in
            bytes += more
            progress?(VerificationProgress(bytesChecked: before + bytes, bytesTotal: total, file: segment.path))
        }
        report.filesChecked += 1
        report.bytesChecked += segment.info.fileBytes
        report.recordsChecked += segment.info.recordCount
        try checkPointers(of: segment)
    }

    /// Checks that the values to which a segment refers are present and intact.
    private mutating func checkPointers(of segment: SegmentReader) throws(StoreError) {
        guard !segment.info.valueFiles.isEmpty else { return }
        let source = RunSource(Run(number: 0, segments: [segment]), caching: false)
        let cursor = MergingCursor([source])
        do throws(StoreError) {
            try cursor.seek(nil)
            while let record = try cursor.next() {
                try checkValue(of: record, in: segment.path)
            }
        } catch {
            // The check of the segment has already reported its damage.
            guard error.code == .corrupt else { throw error }
        }
    }

    /// Checks the value to which a record refers.
    private mutating func checkValue(of record: Record, in path: String) throws(StoreError) {
        guard record.kind == .pointer else { return }
        do throws(StoreError) {
            guard let pointer = ValuePointer(record.value) else {
                throw .corrupt("a record's value pointer is malformed", file: path)
            }
            try valueFile(pointer.file).withValue(pointer, key: record.key) { _ in }
        } catch { try report.problems.append(damage: error, in: path) }
    }

    /// A reader of a value file that reads the file again. The store's own readers do not check a value a second time.
    private mutating func valueFile(_ number: UInt64) throws(StoreError) -> ValueFileReader {
        if let reader = valueFiles[number] { return reader }
        // A log may refer to a file that is younger than the version.
        guard (version.valueFiles[number] ?? versions.current.valueFiles[number]) != nil else {
            throw .corrupt("the value file is not part of the store", file: directory.path(of: .values(number)))
        }
        // Bounds the number of open files.
        if valueFiles.count >= Self.mostValueFiles { valueFiles = [:] }
        let reader = try ValueFileReader(
            fileSystem: directory.fileSystem, path: directory.path(of: .values(number)), number: number,
            store: directory.identity, access: .read, ignoresHeader: true)
        valueFiles[number] = reader
        return reader
    }

    /// Checks the header of a value file, and counts its intact records.
    private mutating func check(_ file: ValueFileReader) throws(StoreError) {
        try begin(file.path)
        report.filesChecked += 1
        let opened = try storeErrors(retrying(directory.fileSystem.open(file.path, .read)))
        // Two kinds of incomplete values are not damage, because nothing refers to them: a value that is being written,
        // and a torn value after which the file was no longer used. Values that records refer to were checked with
        // those records. For the same reason, a file that becomes shorter during the scan is not damaged: a write that
        // was rejected has removed its values.
        do throws(StoreError) {
            let head = try HeapBytes.read(opened, offset: 0, count: FileHeader.size)
            _ = try FileHeader(
                head.bytes, kind: .values, store: directory.identity, number: file.number, path: file.path)
        } catch { try report.problems.append(damage: error, in: file.path) }
        var scanner = try ValueFileScanner(opened, number: file.number)
        do throws(StoreError) {
            while let item = try scanner.next() {
                if case .record = item { report.recordsChecked += 1 }
            }
        } catch {
            guard error.code == .corrupt else { throw error }
        }
        report.bytesChecked += scanner.position
    }
}
