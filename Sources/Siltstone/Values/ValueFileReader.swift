/// Reads values from a value file, which may still grow. Any number of threads may use one reader.
///
/// Recovery also uses it to sync a file whose writer has died, and to release the disk space that the writer
/// preallocated.
final class ValueFileReader: Sendable {
    /// The file's number.
    let number: UInt64
    let path: String
    /// The length of the file. The writer of this process keeps it up to date.
    let length: ValueFileLength
    private let fileSystem: any FileSystem
    private let file: any File
    private let access: FileAccess
    /// Tells mappings how to fetch pages before they are touched. Verified records are fetched only if memory is short.
    private let pageCache: PageCache
    private let mappingState = Locked(MappingState(), rank: .leaf)

    private struct MappingState {
        /// The mapping that new reads use; nil before the first read.
        var mapping: ValueMapping?
        /// True once the system has refused to map more than the file's size.
        var isSpareRefused = false
    }

    /// Least bytes that are mapped when a growing file is mapped again with spare capacity. A new mapping is expensive,
    /// because every page must be faulted in, and every value verified, again.
    private static let leastCapacity = 1 << 20
    /// Used when the system refuses spare capacity: the file is mapped again once it has grown by this many bytes and
    /// by an eighth of the mapping. Until then, values after the end of the mapping are read by calls.
    private static let mappingStep = 4 << 20

    /// Opens a value file and checks its header.
    /// - Parameters:
    ///   - number: the number in the file's name.
    ///   - store: the store that the file must belong to; nil if it is not known.
    ///   - ignoresHeader: true to skip the header, as repair does: each value has a checksum of its own.
    ///   - length: that of the file's writer; nil if the file has none.
    ///   - pageCache: knows whether the store's files fit into memory.
    /// - Throws: ``StoreError``, naming the file.
    init(
        fileSystem: any FileSystem, path: String, number: UInt64, store: StoreIdentity?, access: FileAccess,
        ignoresHeader: Bool = false, length: ValueFileLength? = nil, pageCache: PageCache = PageCache(source: { nil })
    ) throws(StoreError) {
        self.pageCache = pageCache
        self.number = number
        self.path = path
        self.access = access
        self.fileSystem = fileSystem
        let file = try storeErrors(retrying(fileSystem.open(path, .read)))
        self.file = file
        self.length = if let length { length } else { ValueFileLength(try storeErrors(file.sizeFully())) }
        if ignoresHeader { return }
        let head = try HeapBytes.read(file, offset: 0, count: FileHeader.size)
        _ = try FileHeader(head.bytes, kind: .values, store: store, number: number, path: path)
    }

    /// Returns the current size of the file in bytes.
    func size() throws(StoreError) -> Int {
        try storeErrors(file.sizeFully())
    }

    /// Brings the contents of the file to stable storage.
    /// - Parameter start: rewrites the file from this offset in bytes before the sync, because an earlier sync of that
    ///   part may have failed, and the kernel then takes the pages for clean.
    func sync(rewritingFrom start: Int) throws(StoreError) {
        do throws(FileSystemError) {
            let writable = try retrying(fileSystem.open(path, .readWrite))
            // A sync that failed may have covered the header as well.
            try writable.rewrite(0..<FileHeader.size)
            try writable.rewrite(start..<max(start, try writable.sizeFully()))
            try writable.syncFully()
            try writable.close()
        } catch { throw StoreError(error) }
    }

    /// Releases the disk space after the end of the file. The file's writer preallocated the space, and died. If the
    /// release fails, the space stays with the file, which does no harm.
    func releaseSpace() {
        do throws(FileSystemError) {
            let writable = try retrying(fileSystem.open(path, .readWrite))
            let length = try writable.sizeFully()
            try retrying(writable.truncate(to: length))
            try writable.close()
        } catch { return }
    }

    /// Reads the value that a pointer refers to.
    /// - Parameters:
    ///   - pointer: from a record whose own checksum is correct.
    ///   - key: that record's key.
    ///   - pin: keeps the value valid.
    /// - Throws: ``StoreError/Code/corrupt`` if the value does not match the pointer, or fails its checksum; the errors
    ///   of reads.
    func read(_ pointer: ValuePointer, key: Bytes, pin: inout BlockPin) throws(StoreError) -> Bytes {
        guard pointer.file == number, let offset = Int(exactly: pointer.offset), offset >= FileHeader.size,
            offset <= Int.max >> 1,
            offset % ValueRecord.alignment == 0
        else { throw .corrupt("a value pointer leads nowhere in this file", file: path) }
        let count = ValueRecord.headerSize + key.count + Int(pointer.length)
        let record: ValueRecord
        if access == .mapped, let mapping = try mapping(upTo: offset + count) {
            pin.owner = mapping
            record = try self.record(in: mapping, at: offset, count: count)
        } else {
            let heap = try load(at: offset, count: count)
            pin.owner = heap
            record = try checked(heap.bytes, at: offset)
        }
        guard record.isMeant(by: pointer, key: key) else {
            throw .corrupt("the value here is not the one that its pointer means", file: path, offset: offset)
        }
        return record.value
    }

    // MARK: Mapped

    /// The file system's mapping, for statistics; nil before the first read.
    var fileMapping: (any FileMapping)? { currentMapping?.mapping }

    /// The mapping with its marks of verified values, for reads that keep it from value to value; nil before the first
    /// read.
    var currentMapping: ValueMapping? { mappingState.withLock { $0.mapping } }

    /// Returns a mapping that reaches to `end`; nil if the present one does not, and a new one is not worth its cost
    /// yet.
    private func mapping(upTo end: Int) throws(StoreError) -> ValueMapping? {
        try mappingState.withLock { state throws(StoreError) -> ValueMapping? in
            let mapping = state.mapping
            if let mapping, end <= mapping.length { return mapping }
            let size = try size()
            guard end <= size else { throw .corrupt("the file ends before a value", file: path, offset: size) }
            if let mapping, size <= mapping.capacity {
                mapping.grow(to: size)
                return mapping
            }
            if let mapping {
                if let larger = mapWithSpare(size, &state) { return larger }
                if size - mapping.length < max(Self.mappingStep, mapping.length / 8) { return nil }
            }
            let new = ValueMapping(
                try storeErrors(file.map(length: size, writable: false)),
                length: size, pageCache: pageCache)
            state.mapping = new
            return new
        }
    }

    /// Maps a growing file with capacity for twice its size; nil if the system refuses.
    private func mapWithSpare(_ size: Int, _ state: inout MappingState) -> ValueMapping? {
        if state.isSpareRefused { return nil }
        do throws(FileSystemError) {
            let capacity = max(2 * size, Self.leastCapacity)
            let new = ValueMapping(
                try file.map(length: capacity, writable: false), length: size, pageCache: pageCache)
            state.mapping = new
            return new
        } catch {
            // The file without spare capacity may still be mapped.
            state.isSpareRefused = true
            return nil
        }
    }

    /// Returns the record at an offset of a mapping. Verifies its checksum unless the record is marked as verified.
    /// - Parameter count: bytes of the record.
    private func record(in mapping: ValueMapping, at offset: Int, count: Int) throws(StoreError) -> ValueRecord {
        let bytes = Bytes(rebasing: mapping.bytes.dropFirst(offset))
        let isVerified = mapping.isVerified(offset)
        // A record that was not verified yet has probably not been read yet either.
        mapping.fetch(offset, count, isFirst: !isVerified)
        if isVerified, let record = ValueRecord(bytes) { return record }
        let record = try checked(bytes, at: offset)
        mapping.setVerified(offset)
        return record
    }

    // MARK: Read

    /// Up to this length, in bytes, memory is allocated without checking the size of the file first.
    private static let trustedLength = 256 << 10

    /// Reads `count` bytes into memory.
    private func load(at offset: Int, count: Int) throws(StoreError) -> HeapBytes {
        if count > Self.trustedLength {
            let size = try size()
            guard count <= size - offset else {
                throw .corrupt("the file ends before a value", file: path, offset: size)
            }
        }
        return try HeapBytes.read(file, offset: offset, count: count)
    }

    private func checked(_ bytes: Bytes, at offset: Int) throws(StoreError) -> ValueRecord {
        guard let record = ValueRecord(bytes), record.isValid(bytes, file: number, offset: offset) else {
            throw .corrupt("a value fails its checksum", file: path, offset: offset)
        }
        return record
    }
}
