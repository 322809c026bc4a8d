import Testing

@testable import Siltstone

/// A log in some file system, for tests.
struct LogFixture {
    let fileSystem: any FileSystem
    let path: String
    let header = FileHeader(kind: .log, store: StoreIdentity(high: 1, low: 2), number: 7)

    init(_ fileSystem: any FileSystem = InMemoryFileSystem(), path: String = "/000007.log") {
        self.fileSystem = fileSystem
        self.path = path
    }

    /// Small steps, so that short tests pass many of them.
    static func options(
        _ writing: LogWriting = .mapped, capacity: Int = 1 << 20, firstStep: Int = 4096
    ) -> LogWriter.Options {
        LogWriter.Options(writing: writing, capacity: capacity, firstStep: firstStep, greatestStep: 64 << 10)
    }

    func create(_ options: LogWriter.Options = options()) throws -> LogWriter {
        let writer = try LogWriter.create(fileSystem, path: path, header: header, options: options)
        try writer.append(link: LogLink())
        return writer
    }

    func reader(mapped: Bool = true) throws -> FrameReader {
        try FrameReader(
            fileSystem, path: path, kind: .log, store: header.store, number: header.number, mapped: mapped)
    }

    func bytes() throws -> [UInt8] { try fileSystem.open(path, .read).readAll() }

    /// What a reader makes of `bytes`.
    func read(_ bytes: [UInt8]) throws -> LogReading { try LogReading(bytes, header) }

    /// What a reader makes of the file.
    func read() throws -> LogReading { try read(try bytes()) }
}

/// All that a reader finds in a log.
struct LogReading {
    struct Frame: Hashable {
        var offset: Int
        var end: Int
        var kind: FrameKind
        var firstSequence: SequenceNumber
        var count: Int
        var payload: [UInt8]
    }
    var frames: [Frame] = []
    var end = 0
    var checksum: UInt32 = 0
    var tail = LogTail.clean

    init(_ bytes: [UInt8], _ expected: FileHeader) throws {
        let fileSystem = InMemoryFileSystem(greatestFileSize: max(bytes.count, 4096))
        let file = try fileSystem.open("/log", .createNew)
        try file.writeFully(bytes, at: 0)
        let contents = try FileContents(file, mapped: true)
        let header = try FileHeader(
            contents.bytes, kind: expected.kind, store: expected.store, number: expected.number, path: "/log")
        try self.init(FrameReader(contents, header: header, path: "/log"))
    }

    init(_ reader: FrameReader) throws {
        var reader = reader
        while let frame = try reader.next() {
            frames.append(
                Frame(
                    offset: frame.offset, end: frame.end, kind: frame.kind, firstSequence: frame.firstSequence,
                    count: frame.count, payload: Array(frame.payload)))
        }
        end = reader.end
        checksum = reader.lastChecksum
        tail = reader.tail()
    }

    var isTorn: Bool { if case .torn = tail { true } else { false } }
    var isDamaged: Bool { if case .damaged = tail { true } else { false } }
}

/// The changes of a payload, for comparison.
struct DecodedChange: Hashable {
    var kind: RecordKind
    var key: [UInt8]
    var value: [UInt8]
    var sequence: SequenceNumber

    static func all(_ payload: [UInt8], firstSequence: SequenceNumber = 1) throws -> [DecodedChange] {
        try payload.withBytes { bytes in
            var reader = ChangeReader(bytes, firstSequence: firstSequence)
            var changes: [DecodedChange] = []
            while let record = try reader.next() {
                changes.append(
                    DecodedChange(
                        kind: record.kind, key: Array(record.key), value: Array(record.value),
                        sequence: record.sequence))
            }
            return changes
        }
    }
}

extension LogWriter {
    func put(_ key: String, _ value: [UInt8], _ sequence: SequenceNumber) throws {
        try Array(key.utf8).withBytes { key in
            try value.withBytes { value in
                try append(kind: .value, key: key, value: value, sequence: sequence)
            }
        }
    }

    func write(_ batch: WriteBatch, first: SequenceNumber) throws {
        try batch.payload.withBytes { try append(batch: $0, firstSequence: first, count: batch.count) }
    }
}
