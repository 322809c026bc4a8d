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
        /// Whether the system has refused to map more than there is.
        var isRoomRefused = false
    }

    /// A file that has outgrown its mapping is mapped at least so far: in a new mapping every page has to be found again, and
    /// every value verified.
    private static let smallestRoom = 1 << 20
    /// Where there is no room to be had, what is not mapped is read until at least this much has come together.
    private static let mappingStep = 4 << 20

    /// Opens a value file and checks its header.
    /// - Parameters:
    ///   - number: the number in the file's name.
    ///   - store: the store that it must belong to, where that is known.
    ///   - ignoresHeader: whether to do without a header, as repair does: each value has a checksum of its own.
    ///   - pageCache: tells whether the store's files fit into memory.
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

    /// Bytes of the file now.
    func size() throws(StoreError) -> Int {
        try storeErrors { () throws(FileSystemError) in try file.length() }
    }

    /// Brings what the file holds to stable storage.
    /// - Parameter start: where the part begins that is written again before, as an earlier sync of it may have failed.
    func sync(rewritingFrom start: Int) throws(StoreError) {
        try storeErrors { () throws(FileSystemError) in
            let writable = try retryingInterrupted { () throws(FileSystemError) in
                try fileSystem.open(path, .readWrite)
            }
            // The header was written with the first value.
            try writable.rewrite(0..<FileHeader.size)
            try writable.rewrite(start..<max(start, try writable.length()))
            try writable.syncFully()
            try writable.close()
        }
    }

    /// Gives back the disk space behind the end that the file's writer had taken ahead when it died. Where that fails the
    /// space stays with the file, which harms nobody.
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

    /// The value that a pointer leads to.
    /// - Parameters:
    ///   - pointer: from a record whose own checksum is right.
    ///   - key: that record's key, where it is to be compared.
    ///   - pin: keeps the value valid.
    /// - Throws: ``StoreError/Code/corrupt`` where the value is not what the pointer means, or fails its checksum.
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

    /// The mapping of the file, if there is one by now.
    var fileMapping: (any FileMapping)? { currentMapping?.mapping }

    /// The mapping, if there is one by now.
    var currentMapping: ValueMapping? { mapped.withLock { $0.mapping } }

    /// The mapping, which reaches to `end`; nil where it does not, and to make another one is not worth it yet.
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

    /// Maps a file that grows, with room for as much again; nil where the system refuses that.
    private func mapWithRoom(_ size: Int, _ mapped: inout Mapped) -> ValueMapping? {
        if mapped.isRoomRefused { return nil }
        do throws(FileSystemError) {
            let length = max(2 * size, Self.smallestRoom)
            let room = ValueMapping(
                try file.map(length: length, writable: false), length: size, pageCache: pageCache)
            mapped.mapping = room
            return room
        } catch {
            // The file itself may be mapped all the same; what is behind it is read.
            mapped.isRoomRefused = true
            return nil
        }
    }

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

    /// Below this a length is not worth a look at the file's size before memory is taken for it.
    private static let trustedLength = 256 << 10

    /// - Parameter expected: bytes of the record, where they are known; else its header is read first.
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
