@testable import Siltstone

/// The input is a segment. Where its verification finds nothing wrong, all ways to its records have to agree.
enum SegmentTarget {
    private static let header = FuzzFiles.segmentHeader

    static func run(_ bytes: [UInt8]) throws {
        let fileSystem = ExactFileSystem(files: [FuzzFiles.name(header): bytes])
        try salvage(fileSystem)
        for access in [FileAccess.mapped, .read] {
            do {
                let reader = try SegmentReader(
                    fileSystem: fileSystem, path: path, number: header.number, store: header.store, access: access,
                    cache: BlockCache(capacity: 64 << 10))
                try attack(reader, bytes)
            } catch is StoreError {}
        }
    }

    private static var path: String { ExactFileSystem.directory + "/" + FuzzFiles.name(header) }

    private static func salvage(_ fileSystem: ExactFileSystem) throws {
        do {
            var count = 0
            let salvage = try SegmentSalvage.salvage(fileSystem: fileSystem, path: path, number: header.number) { _ in
                count += 1
            }
            try FuzzFailure.unless(count == salvage.recordCount, "salvage miscounts")
        } catch is StoreError {}
    }

    private static func attack(_ reader: SegmentReader, _ bytes: [UInt8]) throws {
        let isWell = try reader.verify().isEmpty
        let forward = try scan(reader, backward: false, visible: .greatest)
        let backward = try scan(reader, backward: true, visible: .greatest)
        _ = try scan(reader, backward: true, visible: 30)
        _ = try scan(reader, backward: false, visible: nil)
        let fences = (0..<reader.blockIndex.blockCount).prefix(64).map { Array(reader.blockIndex.fence(of: $0).key) }
        for key in fences + [reader.info.firstKey, reader.info.lastKey, Array(bytes.suffix(8))] {
            try look(for: key, reader)
        }
        for found in forward {
            let looked = try look(for: found.key, reader)
            if isWell { try FuzzFailure.unless(looked == found, "a lookup does not find what a scan finds") }
        }
        if isWell {
            for found in forward { try seek(found, reader) }
            try FuzzFailure.unless(forward == backward.reversed(), "scans of both directions disagree")
            let inOrder = zip(forward, forward.dropFirst()).allSatisfy { $0.key.lexicographicallyPrecedes($1.key) }
            try FuzzFailure.unless(inOrder, "a scan is not in order")
        }
    }

    private struct Found: Hashable {
        var key: [UInt8]
        var value: [UInt8]
        var sequence: SequenceNumber
        var kind: RecordKind

        init(_ record: Record) {
            key = Array(record.key)
            value = Array(record.value)
            sequence = record.sequence
            kind = record.kind
        }
    }

    /// What lookups find, by both ways: the newest version, and an older one.
    @discardableResult
    private static func look(for key: [UInt8], _ reader: SegmentReader) throws(StoreError) -> Found? {
        try withContiguousBytes(key) { key throws(StoreError) in
            let hash = KeyHash.hash(key)
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            _ = try reader.lookup(key, hash: hash, visible: 30, pin: &pin)
            var cursor = SegmentCursor(reader)
            try cursor.seek(key)
            try cursor.seek(key, .backward)
            return try reader.lookup(key, hash: hash, visible: .greatest, pin: &pin).map(Found.init)
        }
    }

    /// A seek leads to what a scan has come by.
    private static func seek(_ expected: Found, _ reader: SegmentReader) throws {
        var cursor = SegmentCursor(reader)
        try withContiguousBytes(expected.key) { key throws(StoreError) in try cursor.seek(key) }
        var batch = RecordBatch(capacity: 1)
        try cursor.fill(&batch, limit: 1, visible: .greatest)
        try FuzzFailure.unless(batch.count == 1 && Found(batch[0]) == expected, "a seek misses a record")
    }

    private static func scan(
        _ reader: SegmentReader, backward: Bool, visible: SequenceNumber?
    ) throws -> [Found] {
        var cursor = SegmentCursor(reader, caching: false)
        let direction = backward ? ScanDirection.backward : .forward
        try cursor.seek(nil, direction)
        var batch = RecordBatch(capacity: 16)
        var found: [Found] = []
        repeat {
            batch.removeAll()
            try cursor.fill(&batch, direction, limit: 16, visible: visible)
            for index in 0..<batch.count { found.append(Found(batch[index])) }
        } while batch.count > 0
        return found
    }
}
