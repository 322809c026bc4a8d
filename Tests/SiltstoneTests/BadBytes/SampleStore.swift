import Testing

@testable import Siltstone

/// A small store on its files, of which the test knows every byte's meaning.
struct SampleStore: CustomTestStringConvertible {
    let name: String
    let files: StoreFiles
    /// The directory at earlier moments, and how many changes there had been.
    let earlier: [(files: StoreFiles, changes: Int)]
    let history: RecordedHistory
    /// Whether it was closed in good order; else a crash left it.
    let isClosed: Bool
    let configuration: Configuration
    /// Everything that its live files prove.
    let versions: [ProvedVersion]
    /// The logs that were used, oldest first.
    let logs: [LogOutline]

    var testDescription: String { name }

    /// Reads the outline of a directory that is not damaged.
    init(
        name: String, files: StoreFiles, earlier: [(files: StoreFiles, changes: Int)], history: RecordedHistory,
        isClosed: Bool, configuration: Configuration
    ) throws {
        self.name = name
        self.files = files
        self.earlier = earlier
        self.history = history
        self.isClosed = isClosed
        self.configuration = configuration
        var reading = OutlineReader(fileSystem: try files.mount(), configuration: configuration)
        try reading.read()
        versions = reading.versions
        logs = reading.logs
        // The outline is the measure of everything else: it must say what the history says.
        try #require(versions.model() == history.model)
    }

    /// All keys that were ever used, and some that never were.
    var probes: [[UInt8]] { Array(history.keys).sorted { $0.precedes($1) } + [[], [0x7f]] }
}

/// Reads what each byte of a well store means.
private struct OutlineReader {
    let fileSystem: InMemoryFileSystem
    let configuration: Configuration
    var versions: [ProvedVersion] = []
    var logs: [LogOutline] = []
    private var state = ManifestState()
    private var identity = StoreIdentity(high: 0, low: 0)

    init(fileSystem: InMemoryFileSystem, configuration: Configuration) {
        self.fileSystem = fileSystem
        self.configuration = configuration
    }

    private func path(_ file: StoreFile) -> String { file.path(in: StoreFiles.path) }

    mutating func read() throws {
        var configuration = configuration
        configuration.fileSystem = fileSystem
        let opener = StoreOpener(directory: StoreFiles.path, configuration: configuration)
        let number = try #require(try CurrentFile.read(in: StoreFiles.path, fileSystem))
        let manifest = try opener.readManifest(number)
        (state, identity) = (manifest.state, manifest.header.store)
        for segment in state.segments.keys.sorted() { try readSegment(segment) }
        for log in state.logs { try readLog(log) }
    }

    private mutating func readSegment(_ number: UInt64) throws {
        let file = StoreFile.segment(number)
        let reader = try SegmentReader(
            fileSystem: fileSystem, path: path(file), number: number, store: identity, access: .read)
        for block in 0..<reader.blockIndex.blockCount {
            var pin = BlockPin()
            let view = try reader.block(block, pin: &pin)
            defer { withExtendedLifetime(pin) {} }
            let start = reader.fileOffset(of: block)
            let next =
                block + 1 < reader.blockIndex.blockCount
                ? reader.fileOffset(of: block + 1) : reader.layout.footer.dataOffset + reader.layout.footer.storedBytes
            for slot in 0..<view.count {
                let record = try #require(view.record(slot)).record
                versions.append(try version(record, [Extent(file: file.name, range: start..<next)]))
            }
        }
        let header = Extent(file: file.name, range: 0..<FileHeader.size)
        let tail = Extent(file: file.name, range: reader.layout.footer.metadataOffset..<reader.info.fileBytes)
        for range in reader.rangeTombstones.tombstones {
            versions.append(
                ProvedVersion(key: range.start, end: range.end, sequence: range.sequence, proof: [header, tail]))
        }
    }

    private mutating func readLog(_ number: UInt64) throws {
        let file = StoreFile.log(number)
        var reader = try FrameReader(
            fileSystem, path: path(file), kind: .log, store: identity, number: number, mapped: false)
        var log = LogOutline(file: file.name, frames: [])
        while let frame = try reader.next() {
            var proof = [Extent(file: file.name, range: frame.offset..<frame.end)]
            var last = log.frames.last?.lastSequence ?? logs.last?.frames.last?.lastSequence ?? state.lastSequence
            if frame.kind == .link { log.link = try #require(LogLink(frame.payload)) }
            if frame.kind == .batch {
                var changes = ChangeReader(frame.payload, firstSequence: frame.firstSequence)
                while let change = try changes.next() {
                    let version = try version(change, [proof[0]])
                    versions.append(version)
                    proof += version.proof.dropFirst()
                    last = change.sequence
                }
            }
            log.frames.append(
                LogFrame(
                    proof: proof, offset: frame.offset, end: frame.end, mark: frame.syncedMark, lastSequence: last))
        }
        if !log.frames.isEmpty { logs.append(log) }
    }

    private func version(_ record: Record, _ proof: [Extent]) throws -> ProvedVersion {
        let (key, value) = (Array(record.key), Array(record.value))
        switch record.kind {
        case .value: return ProvedVersion(key: key, value: value, sequence: record.sequence, proof: proof)
        case .tombstone: return ProvedVersion(key: key, sequence: record.sequence, proof: proof)
        case .rangeTombstone: return ProvedVersion(key: key, end: value, sequence: record.sequence, proof: proof)
        case .pointer:
            let pointer = try #require(ValuePointer(record.value))
            let file = StoreFile.values(pointer.file)
            let reader = try ValueFileReader(
                fileSystem: fileSystem, path: path(file), number: pointer.file, store: identity, access: .read)
            let bytes = try reader.withValue(pointer, key: record.key) { Array($0) }
            let start = Int(pointer.offset)
            let extent = Extent(
                file: file.name, range: start..<start + ValueRecord.headerSize + key.count + bytes.count)
            return ProvedVersion(key: key, value: bytes, sequence: record.sequence, proof: proof + [extent])
        }
    }
}
