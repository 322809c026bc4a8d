import Testing

@testable import Siltstone

/// A record that owns its bytes.
struct OwnedRecord: Hashable, CustomStringConvertible {
    var key: [UInt8]
    var value: [UInt8]
    var sequence: SequenceNumber
    var kind: RecordKind

    init(_ key: [UInt8], _ value: [UInt8], _ sequence: SequenceNumber, _ kind: RecordKind = .value) {
        self.key = key
        self.value = value
        self.sequence = sequence
        self.kind = kind
    }

    init(_ record: Record) {
        self.init(Array(record.key), Array(record.value), record.sequence, record.kind)
    }

    func withRecord<R, E: Error>(_ body: (Record) throws(E) -> R) throws(E) -> R {
        let result = key.withBytes { key in
            value.withBytes { value in
                Result { () throws(E) in
                    try body(Record(key: key, value: value, sequence: sequence, kind: kind))
                }
            }
        }
        return try result.get()
    }

    /// By the C library: without the optimizer, the comparison of arrays takes a hundred times as long.
    static func == (a: OwnedRecord, b: OwnedRecord) -> Bool {
        a.sequence == b.sequence && a.kind == b.kind && a.key.isSame(as: b.key) && a.value.isSame(as: b.value)
    }

    /// The order in a segment.
    static func precedes(_ a: OwnedRecord, _ b: OwnedRecord) -> Bool {
        a.key.isSame(as: b.key) ? a.sequence > b.sequence : a.key.precedes(b.key)
    }

    var description: String { "\(kind) \(key.prefix(20))…@\(sequence) (\(value.count) bytes)" }
}

/// A directory of its own for one test, removed at the end.
final class Scratch {
    let path: String
    let fileSystem = POSIXFileSystem()

    init() throws {
        var generator = SystemRandomNumberGenerator()
        path = "/tmp/siltstone-test-\(generator.next())"
        try fileSystem.createDirectory(path)
    }

    deinit {
        guard let names = Platform.entries(of: .init(path: path)) else { return }
        for name in names { _ = Platform.removeFile(.init(path: path + "/" + name)) }
        _ = Platform.removeDirectory(.init(path: path))
    }

    func read(_ file: String) throws -> [UInt8] { try fileSystem.open(file, .read).readAll() }

    func write(_ bytes: [UInt8], to file: String) throws {
        if try fileSystem.attributes(of: file) != nil { try fileSystem.remove(file) }
        try fileSystem.open(file, .createNew).writeFully(bytes, at: 0)
    }
}

/// A segment and the records that it should hold.
struct SegmentFixture {
    static let store = StoreIdentity(high: 1, low: 2)
    static let number: UInt64 = 7

    let scratch: Scratch
    let path: String
    let records: [OwnedRecord]
    let ranges: [RangeTombstone]
    let info: SegmentInfo

    init(
        _ records: [OwnedRecord], ranges: [RangeTombstone] = [], options: SegmentOptions = SegmentOptions(),
        scratch: Scratch? = nil
    ) throws {
        self.scratch = try scratch ?? Scratch()
        self.records = records.sorted(by: OwnedRecord.precedes)
        self.ranges = ranges
        path = StoreFile.segment(Self.number).path(in: self.scratch.path)
        if try self.scratch.fileSystem.attributes(of: path) != nil { try self.scratch.fileSystem.remove(path) }
        let file = try self.scratch.fileSystem.open(path, .createNew)
        let writer = try SegmentWriter(file: file, number: Self.number, store: Self.store, options: options)
        for record in self.records { try record.withRecord { record throws(StoreError) in try writer.append(record) } }
        writer.append(rangeTombstones: ranges)
        info = try writer.finish()
    }

    func open(_ access: FileAccess = .mapped, cache: BlockCache? = nil, info: SegmentInfo? = nil) throws
        -> SegmentReader
    {
        try SegmentReader(
            fileSystem: scratch.fileSystem, path: path, number: Self.number, store: Self.store,
            info: info ?? self.info, access: access, cache: cache)
    }

    /// What `lookup` should give.
    func newest(_ key: [UInt8], visible: SequenceNumber) -> OwnedRecord? {
        // The first record that does not come before the key at that moment.
        let sought = OwnedRecord(key, [], visible)
        var (low, high) = (0, records.count)
        while low < high {
            let middle = (low + high) / 2
            if OwnedRecord.precedes(records[middle], sought) { low = middle + 1 } else { high = middle }
        }
        guard low < records.count, records[low].key.isSame(as: key) else { return nil }
        return records[low]
    }

    /// What a scan should give, ascending.
    func visible(_ visible: SequenceNumber) -> [OwnedRecord] {
        var result: [OwnedRecord] = []
        for record in records where record.sequence <= visible && result.last?.key.isSame(as: record.key) != true {
            result.append(record)
        }
        return result
    }
}

extension SegmentReader {
    func lookup(_ key: [UInt8], visible: SequenceNumber = .greatest) throws(StoreError) -> OwnedRecord? {
        var pin = BlockPin()
        defer { withExtendedLifetime(pin) {} }
        let (probed, found) = key.withBytes { key in
            (
                Result { () throws(StoreError) in try probe(key, visible) },
                Result { () throws(StoreError) in
                    try lookup(key, hash: KeyHash.hash(key), visible: visible, pin: &pin).map { OwnedRecord($0) }
                }
            )
        }
        // What is verified by now is found at once, and nothing else: so before either error is thrown.
        key.withBytes { key in checkQuickly(key, visible, (try? found.get()) ?? nil) }
        // Both ways must find the same record. Point reads come first and verify the block for the other one.
        if let probed = try probed.get() {
            switch found {
            case .success(let record): #expect(record == probed.record)
            case .failure(let error): #expect(probed.record == nil, "a point read found a damaged record: \(error)")
            }
        }
        return try found.get()
    }

    /// Compares what point reads find where they look first with what there is.
    private func checkQuickly(_ key: Bytes, _ visible: SequenceNumber, _ record: OwnedRecord?) {
        guard let probe = SegmentProbe(self) else { return }
        let row = ElementRow([probe])
        defer { row.deallocate() }
        let found = row.place(0).find(SearchKey(key), hash: KeyHash.hash(key), visible: visible)
        switch (found.value, record) {
        case (let value?, let record?):
            #expect(record.kind == .value && value.elementsEqual(record.value))
        case (nil, let record): #expect(found.isUnclear || (record?.kind == .tombstone || record == nil))
        case (_, nil): Issue.record("a value was found of a key that has none")
        }
    }

    /// By the way of point reads; nil where that is not open.
    private func probe(_ key: Bytes, _ visible: SequenceNumber) throws(StoreError) -> (record: OwnedRecord?, Void)? {
        guard let probe = SegmentProbe(self) else { return nil }
        let row = ElementRow([probe])
        defer { row.deallocate() }
        let found = try row.place(0).lookup(SearchKey(key), hash: KeyHash.hash(key), visible: visible)
        return (found.record(key).map { OwnedRecord($0) }, ())
    }
}

extension SegmentCursor {
    /// What is behind the position, in pieces of `limit`.
    mutating func rest(_ visible: SequenceNumber?, limit: Int) throws(StoreError) -> [OwnedRecord] {
        var batch = RecordBatch(capacity: limit)
        var result: [OwnedRecord] = []
        repeat {
            batch.removeAll()
            try fill(&batch, limit: limit, visible: visible)
            for index in 0..<batch.count { result.append(OwnedRecord(batch[index])) }
        } while batch.count > 0
        return result
    }

    /// What is before the position, descending.
    mutating func restBackward(_ visible: SequenceNumber, limit: Int) throws(StoreError) -> [OwnedRecord] {
        var batch = RecordBatch(capacity: limit)
        var result: [OwnedRecord] = []
        repeat {
            batch.removeAll()
            try fill(&batch, .backward, limit: limit, visible: visible)
            for index in 0..<batch.count { result.append(OwnedRecord(batch[index])) }
        } while batch.count > 0
        return result
    }

    mutating func seek(_ key: [UInt8]?, backward: Bool) throws(StoreError) {
        let direction = backward ? ScanDirection.backward : .forward
        guard let key else { return try seek(nil, direction) }
        try key.withBytes { key throws(StoreError) in try seek(key, direction) }
    }
}

/// Records for tests.
enum RandomRecords {
    /// Keys of 0 to 27 bytes that are prefixes of each other, with several versions each.
    static func make(_ count: Int, seed: UInt64, maximumValue: Int = 200) -> [OwnedRecord] {
        var generator = SeededGenerator(seed)
        let alphabet: [UInt8] = [0x00, 0xff, 0x61, 0x62]
        var seen: Set<[UInt8]> = []
        var result: [OwnedRecord] = []
        var sequence: SequenceNumber = 0
        var lastKeys: [[UInt8]] = [[]]
        while result.count < count {
            var key: [UInt8]
            if Int.random(in: 0..<4, using: &generator) == 0 {
                key = lastKeys.randomElement(using: &generator) ?? []
            } else {
                let prefix = lastKeys.randomElement(using: &generator) ?? []
                key =
                    prefix
                    + (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                        alphabet.randomElement(using: &generator) ?? 0
                    }
                if key.count > 27 { key = Array(key.prefix(3)) }
            }
            if seen.insert(key).inserted { lastKeys.append(key) }
            sequence += UInt64.random(in: 1...300, using: &generator)
            let kind: RecordKind = [.value, .value, .value, .tombstone].randomElement(using: &generator) ?? .value
            let size = kind == .tombstone ? 0 : Int.random(in: 0...maximumValue, using: &generator)
            let value = [UInt8](count: size) { _ in UInt8.random(in: 0...40, using: &generator) }
            result.append(OwnedRecord(key, value, sequence, kind))
        }
        return result
    }
}
