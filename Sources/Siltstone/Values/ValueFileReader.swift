/// Reads values from a value file, which may still grow. Any number of threads may use one reader.
final class ValueFileReader: Sendable {
    /// The file's number.
    let number: UInt64
    let path: String
    private let fileSystem: any FileSystem
    private let file: any File
    private let access: FileAccess
    private let pageCache: PageCache
    private let mapped = Locked(Mapped())

    private struct Mapped {
        var mapping: ValueMapping?
        /// True once the system has refused to map more than the file's size.
        var isRoomRefused = false
    }

    /// The smallest mapping, in bytes, of a file that has outgrown its mapping. A new mapping is expensive, because
    /// every page must be faulted in, and every value verified, again.
    private static let smallestRoom = 1 << 20
    /// If the system maps no more than the file's size: the file is mapped again once it has grown by this many bytes
    /// and by an eighth of the mapping. Until then, values after the end of the mapping are read.
    private static let mappingStep = 4 << 20

    /// Opens a value file and checks its header.
    /// - Parameters:
    ///   - number: the number in the file's name.
    ///   - store: the store that the file must belong to; nil if it is not known.
    ///   - ignoresHeader: true to skip the header, as repair does: each value has a checksum of its own.
    ///   - pageCache: says whether the store's files fit into memory.
    /// - Throws: ``StoreError``, naming the file.
    init(
        fileSystem: any FileSystem, path: String, number: UInt64, store: StoreIdentity?, access: FileAccess,
        ignoresHeader: Bool = false, pageCache: PageCache = PageCache(source: { nil })
    ) throws(StoreError) {
        self.pageCache = pageCache
        self.number = number
        self.path = path
        self.access = access
        self.fileSystem = fileSystem
        file = try storeErrors { () throws(FileSystemError) in
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.open(path, .read) }
        }
        if ignoresHeader { return }
        let head = try HeapBytes.read(file, offset: 0, count: FileHeader.size)
        _ = try FileHeader(head.bytes, kind: .values, store: store, number: number, path: path)
    }

    /// Returns the current size of the file in bytes.
    func size() throws(StoreError) -> Int {
        try storeErrors { () throws(FileSystemError) in try file.length() }
    }

    /// Brings the contents of the file to stable storage.
    /// - Parameter start: offset in bytes from which on the file is rewritten first, because an earlier sync of that
    ///   part may have failed.
    func sync(rewritingFrom start: Int) throws(StoreError) {
        try storeErrors { () throws(FileSystemError) in
            let writable = try retryingInterrupted { () throws(FileSystemError) in
                try fileSystem.open(path, .readWrite)
            }
            // The header was written with the first value, so it is rewritten too.
            try writable.rewrite(0..<FileHeader.size)
            try writable.rewrite(start..<max(start, try writable.length()))
            try writable.syncFully()
            try writable.close()
        }
    }

    /// Releases the disk space after the end of the file, which its writer had preallocated before it died. If that
    /// fails, the space stays with the file, which does no harm.
    func releaseSpace() {
        do throws(FileSystemError) {
            let writable = try retryingInterrupted { () throws(FileSystemError) in
                try fileSystem.open(path, .readWrite)
            }
            let length = try writable.length()
            try retryingInterrupted { () throws(FileSystemError) in try writable.truncate(to: length) }
            try writable.close()
        } catch { return }
    }

    /// Reads the value that a pointer refers to.
    /// - Parameters:
    ///   - pointer: from a record whose own checksum is correct.
    ///   - key: that record's key, to be compared; nil to skip the comparison.
    ///   - pin: keeps the value valid.
    /// - Throws: ``StoreError/Code/corrupt`` if the value does not match the pointer, or fails its checksum.
    func read(_ pointer: ValuePointer, key: Bytes?, pin: inout BlockPin) throws(StoreError) -> Bytes {
        guard pointer.file == number, let offset = Int(exactly: pointer.offset), offset >= FileHeader.size,
            offset <= Int.max >> 1,
            offset % ValueRecord.alignment == 0
        else { throw .corrupt("a value pointer leads nowhere in this file", file: path) }
        let head = key?.count ?? 0
        let record: ValueRecord
        if access == .mapped,
            let mapped = try mappedFile(upTo: offset + ValueRecord.headerSize + head + Int(pointer.length))
        {
            pin.owner = mapped
            record = try self.record(
                in: mapped, at: offset, count: ValueRecord.headerSize + head + Int(pointer.length))
        } else {
            let heap = try load(
                at: offset, expected: key.map { ValueRecord.headerSize + $0.count + Int(pointer.length) })
            pin.owner = heap
            record = try checked(heap.bytes, at: offset)
        }
        guard record.isMeant(by: pointer, key: key) else {
            throw .corrupt("the value here is not the one that its pointer means", file: path, offset: offset)
        }
        return record.value
    }

    // MARK: Mapped

    /// The mapping of the file; nil if there is none yet.
    var fileMapping: (any FileMapping)? { currentMapping?.mapping }

    /// The mapping with its verification marks; nil if there is none yet.
    var currentMapping: ValueMapping? { mapped.withLock { $0.mapping } }

    /// Returns a mapping that reaches to `end`; nil if the present one does not, and a new one is not worth its cost
    /// yet.
    private func mappedFile(upTo end: Int) throws(StoreError) -> ValueMapping? {
        try mapped.withLock { mapped throws(StoreError) -> ValueMapping? in
            let mapping = mapped.mapping
            if let mapping, end <= mapping.length { return mapping }
            let size = try size()
            guard end <= size else { throw .corrupt("the file ends before a value", file: path, offset: size) }
            if let mapping, size <= mapping.capacity {
                mapping.grow(to: size)
                return mapping
            }
            if let mapping {
                if let room = mapWithRoom(size, &mapped) { return room }
                if size - mapping.length < max(Self.mappingStep, mapping.length / 8) { return nil }
            }
            let new = ValueMapping(
                try storeErrors { () throws(FileSystemError) in try file.map(length: size, writable: false) },
                length: size, pageCache: pageCache)
            mapped.mapping = new
            return new
        }
    }

    /// Maps a growing file with capacity for twice its size; nil if the system refuses.
    private func mapWithRoom(_ size: Int, _ mapped: inout Mapped) -> ValueMapping? {
        if mapped.isRoomRefused { return nil }
        do throws(FileSystemError) {
            let length = max(2 * size, Self.smallestRoom)
            let room = ValueMapping(
                try file.map(length: length, writable: false), length: size, pageCache: pageCache)
            mapped.mapping = room
            return room
        } catch {
            // The file itself may still be mapped; bytes after the mapping are read.
            mapped.isRoomRefused = true
            return nil
        }
    }

    /// Returns the record at an offset of a mapping. Verifies its checksum unless the record is marked as verified.
    private func record(in mapped: ValueMapping, at offset: Int, count: Int) throws(StoreError) -> ValueRecord {
        let bytes = Bytes(rebasing: mapped.bytes.dropFirst(offset))
        let isVerified = mapped.isVerified(offset)
        mapped.fetch(offset, count, isFirst: !isVerified)
        if isVerified, let record = ValueRecord(bytes) { return record }
        let record = try checked(bytes, at: offset)
        mapped.setVerified(offset)
        return record
    }

    // MARK: Read

    /// Up to this length, in bytes, memory is allocated without checking the size of the file first.
    private static let trustedLength = 256 << 10

    /// Reads a record into memory.
    /// - Parameter expected: bytes of the record; nil to read them from its header first.
    private func load(at offset: Int, expected: Int?) throws(StoreError) -> HeapBytes {
        if let expected {
            if expected > Self.trustedLength {
                let size = try size()
                guard expected <= size - offset else {
                    throw .corrupt("the file ends before a value", file: path, offset: size)
                }
            }
            return try HeapBytes.read(file, offset: offset, count: expected)
        }
        let header = try HeapBytes.read(file, offset: offset, count: ValueRecord.headerSize)
        let size = try size()
        guard let (key, value) = ValueRecord.lengths(header.bytes),
            ValueRecord.headerSize + key + value <= size - offset
        else { throw .corrupt("a value's header makes no sense", file: path, offset: offset) }
        return try HeapBytes.read(file, offset: offset, count: ValueRecord.headerSize + key + value)
    }

    private func checked(_ bytes: Bytes, at offset: Int) throws(StoreError) -> ValueRecord {
        guard let record = ValueRecord(bytes), record.isValid(bytes, file: number, offset: offset) else {
            throw .corrupt("a value fails its checksum", file: path, offset: offset)
        }
        return record
    }
}
