import SiltstoneTesting

@testable import Siltstone

/// The owners of a store's state, made one by one on files in memory: without a `KeyValueStore`, without an engine, and with
/// no more of them than a test asks for.
struct OwnerFixture {
    let disk = FaultInjectingFileSystem()
    let recovered: RecoveredStore
    let status: StoreStatus

    static let path = "/store"

    init(_ change: (inout Configuration) -> Void = { _ in }) throws {
        var configuration = StoreFixture.small()
        configuration.fileSystem = disk
        change(&configuration)
        recovered = try StoreOpener.open(at: Self.path, configuration)
        status = StoreStatus(directory: Self.path, isReadOnly: configuration.readOnly)
    }

    var directory: StoreDirectory { recovered.directory }

    func makeVersions() -> VersionSet { VersionSet(recovered.version, recovered.manifest, directory, status) }

    func makeReads() -> ReadPath {
        let first = SuperVersion(tables: recovered.state.tables, version: recovered.version)
        return ReadPath(first, visible: recovered.state.lastSequence, directory, status)
    }

    /// A write path with those below it.
    func makeWrites() -> WritePath {
        let versions = makeVersions()
        let reads = makeReads()
        return WritePath(
            recovered.state, versions, ValueLog(versions, reads), ScanPath(reads), ChangeFeed(capacity: 1 << 20),
            recovered.arenas)
    }

    /// A memtable with one value.
    static func table(_ key: String, _ value: [UInt8], _ sequence: SequenceNumber) throws -> MemTable {
        let table = try MemTable(capacity: 64 << 10, pool: nil)
        withContiguousBytes(Array(key.utf8)) { key in
            withContiguousBytes(value) { table.insert(key: key, value: $0, sequence: sequence, kind: .value) }
        }
        return table
    }

    func names() throws -> Set<String> { Set(try disk.entries(of: Self.path)) }
}

extension ReadPath {
    func get(_ key: String, at sequence: SequenceNumber? = nil) throws(StoreError) -> [UInt8]? {
        try withContiguousBytes(Array(key.utf8)) { key throws(StoreError) in try get(key, at: sequence) }
    }
}

extension WritePath {
    /// Puts a value.
    /// - Returns: nil where that would block, and must not.
    @discardableResult
    func put(_ key: String, _ value: [UInt8], mayBlock: Bool = true) throws(StoreError) -> SequenceNumber? {
        try withContiguousBytes(Array(key.utf8)) { key throws(StoreError) in
            try withContiguousBytes(value) { value throws(StoreError) in
                try change(.value, key, value, mayBlock: mayBlock)
            }
        }
    }
}

extension ValueLog {
    /// Appends a value, as a write of its own.
    @discardableResult
    func append(_ key: String, count: Int) throws(StoreError) -> ValuePointer {
        try withLockForWrite { () throws(StoreError) in
            try rollingBack { () throws(StoreError) in
                try withContiguousBytes(Array(key.utf8)) { key throws(StoreError) in
                    try withContiguousBytes([UInt8](repeating: 7, count: count)) { value throws(StoreError) in
                        try append(key, value)
                    }
                }
            }
        }
    }
}
