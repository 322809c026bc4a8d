/// A change to the set of files that make up a store. It is applied atomically (`Docs/Format.md`, "Manifests").
struct VersionEdit: Hashable, Sendable {
    /// A segment with its level and run.
    struct PlacedSegment: Hashable, Sendable {
        var info: SegmentInfo
        /// 0 for flushed segments; deeper levels are older.
        var level: Int
        /// The number of the segment's sorted run. Level 0 has several, of which a larger number is newer; a deeper
        /// level has one.
        var run: UInt64
    }

    /// Records a clean close.
    struct Closing: Hashable, Sendable {
        /// The number of the active log, and its end as an offset in bytes.
        var log: UInt64
        var end: UInt64
        /// The last sequence number used, also by changes that are only in the log.
        var lastSequence: SequenceNumber
    }

    /// No file has this number or a larger one. Nil if the edit does not change it.
    var nextFileNumber: UInt64?
    var addedLogs: [UInt64] = []
    var removedLogs: [UInt64] = []
    var addedSegments: [PlacedSegment] = []
    var removedSegments: [UInt64] = []
    var addedValueFiles: [UInt64] = []
    var removedValueFiles: [UInt64] = []
    /// No segment has a larger sequence number. Nil if the edit does not change that bound.
    var lastSequence: SequenceNumber?
    /// Nil unless the store was closed cleanly with this edit.
    var closing: Closing?

    /// True if segments or value files are not live any more after the edit. False if it only moves segments.
    var dropsRecords: Bool {
        !removedValueFiles.isEmpty || !Set(removedSegments).isSubset(of: addedSegments.map(\.info.number))
    }
}

extension VersionEdit {
    /// The tag of a field; the raw values are on disk.
    private enum Tag: UInt8 {
        case nextFileNumber = 1
        case addedLog = 2
        case removedLog = 3
        case addedSegment = 4
        case removedSegment = 5
        case addedValueFile = 6
        case removedValueFile = 7
        case lastSequence = 8
        case closing = 9

        /// Readers skip unknown fields with this tag or a larger one, and refuse a manifest with any other unknown
        /// field.
        static let firstOptional: UInt8 = 128
    }

    /// Levels in a manifest are below this. The engine uses far fewer; a larger number means a malformed edit.
    private static let mostLevels = 64

    /// Returns the payload of an edit frame.
    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        func field(_ tag: Tag, _ numbers: UInt64..., info: SegmentInfo? = nil) {
            var content: [UInt8] = []
            for number in numbers { content.append(varint: number) }
            info?.encode(into: &content)
            bytes.append(tag.rawValue)
            bytes.append(counted: content)
        }
        if let nextFileNumber { field(.nextFileNumber, nextFileNumber) }
        for number in removedLogs { field(.removedLog, number) }
        for number in addedLogs { field(.addedLog, number) }
        for number in removedSegments { field(.removedSegment, number) }
        for segment in addedSegments {
            field(.addedSegment, segment.info.number, UInt64(segment.level), segment.run, info: segment.info)
        }
        for number in removedValueFiles { field(.removedValueFile, number) }
        for number in addedValueFiles { field(.addedValueFile, number) }
        if let lastSequence { field(.lastSequence, lastSequence) }
        if let closing { field(.closing, closing.log, closing.end, closing.lastSequence) }
        return bytes
    }

    /// Reads the payload of an edit frame.
    /// - Throws: ``StoreError/Code/corrupt`` if it is malformed, ``StoreError/Code/unsupportedFormat`` if it has a
    ///   field that a reader must know and this release does not.
    init(_ payload: Bytes, path: String, offset: Int) throws(StoreError) {
        self.init()
        var reader = ByteReader(payload)
        while !reader.isAtEnd {
            guard let tag: UInt8 = reader.integer(), let content = reader.counted() else {
                throw .corrupt("an edit of the manifest is cut off", file: path, offset: offset)
            }
            guard let known = Tag(rawValue: tag) else {
                if tag >= Tag.firstOptional { continue }
                throw StoreError(
                    .unsupportedFormat,
                    "the manifest has a field with the tag \(tag), which this release does not know; use a newer release",
                    file: path, offset: offset)
            }
            guard read(known, content) else {
                throw .corrupt("a field with the tag \(tag) in the manifest is malformed", file: path, offset: offset)
            }
        }
    }

    /// Reads the content of one field, which begins with a number. Returns false if it is malformed.
    private mutating func read(_ tag: Tag, _ content: Bytes) -> Bool {
        var reader = ByteReader(content)
        guard let number = reader.varint() else { return false }
        switch tag {
        case .nextFileNumber: nextFileNumber = number
        case .addedLog: addedLogs.append(number)
        case .removedLog: removedLogs.append(number)
        case .addedSegment:
            guard let level = reader.length(), level < Self.mostLevels, let run = reader.varint(),
                let info = SegmentInfo(number: number, reader: &reader)
            else { return false }
            addedSegments.append(PlacedSegment(info: info, level: level, run: run))
        case .removedSegment: removedSegments.append(number)
        case .addedValueFile: addedValueFiles.append(number)
        case .removedValueFile: removedValueFiles.append(number)
        case .lastSequence:
            guard number <= .greatest else { return false }
            lastSequence = number
        case .closing:
            guard let end = reader.varint(), let last = reader.varint(), last <= .greatest else { return false }
            closing = Closing(log: number, end: end, lastSequence: last)
        }
        return reader.isAtEnd
    }
}
