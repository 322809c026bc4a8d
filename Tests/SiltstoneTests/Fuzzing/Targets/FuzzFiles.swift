@testable import Siltstone

/// A small store that is well, made by the engine's own writers and the same each time: where inputs come from, and what
/// surrounds an input that is one file of a store.
enum FuzzFiles {
    static let identity = StoreIdentity(high: 0x5317, low: 0x57_0e)
    static let manifestHeader = FileHeader(kind: .manifest, store: identity, number: 1)
    static let logHeader = FileHeader(kind: .log, store: identity, number: 2)
    static let valuesHeader = FileHeader(kind: .values, store: identity, number: 4)
    static let segmentHeader = FileHeader(
        kind: .segment, store: identity, number: 7, parameter: UInt64(SegmentFormat.unitShift))

    /// A log, a segment, a value file, a manifest and `CURRENT`.
    static let store: [String: [UInt8]] = {
        do { return try makeStore(.none) } catch { fatalError("no store to attack: \(error)") }
    }()

    /// The same, its segment compressed.
    static let compressedStore: [String: [UInt8]] = {
        do { return try makeStore(.deflate(level: 6)) } catch { fatalError("no store to attack: \(error)") }
    }()

    /// The segment, its blocks without digests, as older releases have written them.
    static func oldSegment(_ compression: Compression) throws -> [UInt8] {
        try makeStore(compression, .plain)[name(segmentHeader)] ?? []
    }

    /// A name in the store's directory.
    static func name(_ header: FileHeader) -> String {
        switch header.kind {
        case .log: StoreFile.log(header.number).name
        case .segment: StoreFile.segment(header.number).name
        case .values: StoreFile.values(header.number).name
        case .manifest: StoreFile.manifest(header.number).name
        }
    }

    // MARK: Making it

    /// The greatest sequence number of the segment, behind which the log goes on.
    private static let flushed: SequenceNumber = 100

    private static func makeStore(
        _ compression: Compression, _ layout: BlockLayout = .digested
    ) throws -> [String: [UInt8]] {
        let fileSystem = InMemoryFileSystem(greatestFileSize: 1 << 20)
        try fileSystem.createDirectory(ExactFileSystem.directory)
        func create(_ header: FileHeader) throws -> any File {
            try fileSystem.open(ExactFileSystem.directory + "/" + name(header), .createNew)
        }
        let pointers = try makeValues(try create(valuesHeader))
        let info = try makeSegment(
            try create(segmentHeader), pointers[0],
            SegmentOptions(blockBytes: 4 << 10, compression: compression, blockLayout: layout))
        try makeLog(fileSystem, pointers[1])
        var state = ManifestState()
        state.nextFileNumber = 8
        state.logs = [logHeader.number]
        state.valueFiles = [valuesHeader.number]
        state.segments = [info.number: .init(info: info, level: 1, run: 1)]
        state.lastSequence = flushed
        try Manifest.create(
            number: manifestHeader.number, state: state, identity: identity, in: ExactFileSystem.directory, fileSystem
        ).close()
        return try contents(fileSystem)
    }

    private static func makeValues(_ file: any File) throws -> [ValuePointer] {
        let writer = try ValueFileWriter(
            file: file, number: valuesHeader.number, store: identity, isBuffered: false)
        let pointers = try [("key05", 40 as SequenceNumber), ("large", 105)].map { key, sequence in
            try withContiguousBytes(Array(key.utf8)) { key throws(StoreError) in
                try withContiguousBytes([UInt8](repeating: 0x61, count: 90)) { value throws(StoreError) in
                    try writer.append(key: key, value: value, sequence: sequence)
                }
            }
        }
        try writer.sync()
        return pointers
    }

    private static func bytes(of pointer: ValuePointer) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: ValuePointer.size)
        bytes.withMutableBytes { pointer.write(to: $0) }
        return bytes
    }

    private static func makeSegment(
        _ file: any File, _ pointer: ValuePointer, _ options: SegmentOptions
    ) throws -> SegmentInfo {
        let writer = try SegmentWriter(file: file, number: segmentHeader.number, store: identity, options: options)
        func append(_ key: [UInt8], _ value: [UInt8], _ sequence: SequenceNumber, _ kind: RecordKind) throws {
            try withContiguousBytes(key) { key throws(StoreError) in
                try withContiguousBytes(value) { value throws(StoreError) in
                    try writer.append(Record(key: key, value: value, sequence: sequence, kind: kind))
                }
            }
        }
        for number in 10..<40 {
            let key = Array("key\(number)".utf8)
            if number == 10 { try append(Array("key05".utf8), bytes(of: pointer), 40, .pointer) }
            if number % 7 == 0 { try append(key, [], 50 + UInt64(number), .tombstone) }
            try append(key, [UInt8](repeating: UInt8(number), count: number * 7), UInt64(number), .value)
        }
        writer.append(rangeTombstones: [
            RangeTombstone(start: Array("key20".utf8), end: Array("key22".utf8), sequence: 100),
            RangeTombstone(start: Array("key21".utf8), end: Array("key30".utf8), sequence: 12),
        ])
        return try writer.finish()
    }

    private static func makeLog(_ fileSystem: any FileSystem, _ pointer: ValuePointer) throws {
        let path = ExactFileSystem.directory + "/" + name(logHeader)
        let options = LogWriter.Options(writing: .written, capacity: 4 << 10, firstStep: 0)
        let writer = try LogWriter.create(fileSystem, path: path, header: logHeader, options: options)
        try writer.append(link: LogLink(lastSequence: flushed))
        var batch = WriteBatch()
        batch.put(Array("apple".utf8), Array("red".utf8))
        batch.delete(Array("key11".utf8))
        batch.deleteRange(from: Array("key12".utf8), to: Array("key14".utf8))
        batch.put(Array("".utf8), Array("empty".utf8))
        try withContiguousBytes(batch.payload) { payload throws(StoreError) in
            try writer.append(batch: payload, firstSequence: flushed + 1, count: batch.count)
        }
        try withContiguousBytes(Array("large".utf8)) { key throws(StoreError) in
            try withContiguousBytes(bytes(of: pointer)) { value throws(StoreError) in
                try writer.append(kind: .pointer, key: key, value: value, sequence: flushed + 5)
            }
        }
        try writer.sync()
        try withContiguousBytes(Array("banana".utf8)) { key throws(StoreError) in
            try writer.append(kind: .value, key: key, value: key, sequence: flushed + 6)
        }
        try writer.close()
    }

    /// All files of the directory.
    static func contents(_ fileSystem: any FileSystem) throws -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for name in try fileSystem.entries(of: ExactFileSystem.directory) where name != StoreFile.lock.name {
            let path = ExactFileSystem.directory + "/" + name
            guard try fileSystem.attributes(of: path)?.isDirectory == false else { continue }
            result[name] = try fileSystem.open(path, .read).readAll()
        }
        return result
    }
}
