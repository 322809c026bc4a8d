/// Appends values to a value file. Used by one thread at a time; readers may read written values at once.
final class ValueFileWriter {
    /// Size in bytes up to which a record is copied into the buffer, which is faster than a call with several pieces. A
    /// larger value is written from its own memory.
    private static let copyLimit = 64 << 10
    private static let bufferCapacity = 256 << 10
    /// Smallest step of preallocation, in bytes, and the file size from which on space is preallocated. Each step is
    /// twice the one before, up to ``greatestStep``. A write into preallocated space takes a fifth less time.
    static let firstStep = 1 << 20
    private static let greatestStep = 16 << 20

    private let file: any File
    /// The file's number.
    let number: UInt64
    private let isBuffered: Bool
    private let buffer: MutableBytes
    /// Bytes in the buffer.
    private var used = 0
    /// Bytes that were written to the file.
    private var written = 0
    /// End of the preallocated disk space, as an offset in bytes.
    private var allocated = 0
    /// Bytes of the next preallocation.
    private var step = ValueFileWriter.firstStep
    /// The space that writers leave free; nil if they may take all.
    private let spare: SpareSpace?
    /// End of the space that ``spare`` has allowed, as an offset in bytes.
    private var allowed = 0

    /// Writes the header.
    /// - Parameters:
    ///   - file: new, empty and writable.
    ///   - spare: the space that writers leave free; nil if they may take all.
    ///   - isBuffered: true to collect records until the buffer is full, ``flush()`` or ``sync()``; false to write each
    ///     one to the file before ``append(key:value:sequence:isRelocation:)`` returns.
    init(
        file: any File, number: UInt64, store: StoreIdentity, spare: SpareSpace? = nil, isBuffered: Bool
    ) throws(StoreError) {
        self.file = file
        self.number = number
        self.spare = spare
        self.isBuffered = isBuffered
        buffer = .allocate(byteCount: Self.bufferCapacity + ValueRecord.alignment, alignment: 64)
        let header = FileHeader(kind: .values, store: store, number: number).encoded()
        try storeErrors(file.writeFully(header, at: 0))
        written = header.count
    }

    deinit { buffer.deallocate() }

    /// Bytes of the file, including those in the buffer.
    var size: Int { written + used }

    /// Appends a value.
    /// - Parameter isRelocation: true for a value that a compaction moves. It may take all disk space, but none ahead,
    ///   because the segments that the compaction writes may need it.
    /// - Returns: the pointer for a record of kind ``RecordKind/pointer``.
    /// - Throws: ``StoreError``; ``StoreError/Code/tooLarge`` for a value above 4 GiB or a key above 256 KiB. After an
    ///   error of the file the writer must not be used before ``cut(to:)``. Earlier records are unharmed.
    func append(
        key: Bytes, value: Bytes, sequence: SequenceNumber, isRelocation: Bool = false
    ) throws(StoreError) -> ValuePointer {
        guard let keyCount = UInt32(exactly: key.count), let valueCount = UInt32(exactly: value.count) else {
            throw StoreError(.tooLarge, "a key or a value has more than 4 GiB", file: file.path)
        }
        let total = ValueRecord.size(key: key.count, value: value.count)
        let isCopied = total <= Self.copyLimit
        let head = ValueRecord.headerSize + key.count
        if used + (isCopied ? total : head) > Self.bufferCapacity { try flush() }
        let offset = size
        guard head <= Self.bufferCapacity else {
            throw StoreError(.tooLarge, "a key has more than \(Self.bufferCapacity) bytes", file: file.path)
        }
        if !isRelocation { try prepare(upTo: offset + total) }
        let header = buffer[used..<used + ValueRecord.headerSize]
        header.store(keyCount, at: 4)
        header.store(UInt64(valueCount), at: 8)
        header.store(sequence, at: 16)
        buffer[(used + ValueRecord.headerSize)...].copyMemory(from: key)
        let checksum = ValueRecord.checksum(
            file: number, offset: offset, header: header.bytes, key: key, value: value)
        header.store(checksum, at: 0)
        used += head
        if isCopied {
            appendCopy(value, padding: total - head - value.count)
            if !isBuffered { try flush() }
        } else {
            try appendDirectly(value, padding: total - head - value.count)
        }
        return ValuePointer(file: number, offset: UInt64(offset), length: valueCount, checksum: checksum)
    }

    /// Checks that there is room for a value, and preallocates space in a large file. Both are done in steps.
    private func prepare(upTo end: Int) throws(StoreError) {
        let isLarge = size >= Self.firstStep
        guard end > (isLarge ? allocated : allowed) else { return }
        let start = max(allocated, size)
        let length = max(step, end - start)
        if let spare, !spare.allowsValues(length) {
            // On a disk that is almost full, each value is checked alone.
            if spare.allowsValues(end - start) { return }
            throw StoreError(.keptFree(file.path, offset: size))
        }
        allowed = start + length
        guard isLarge else { return }
        file.preallocate(offset: start, length: length)
        (allocated, step) = (allowed, min(step * 2, Self.greatestStep))
    }

    /// Releases the disk space after the last record; the next record preallocates again. The buffer must be flushed.
    /// - Returns: true if any space was released.
    @discardableResult
    func releaseSpace() -> Bool {
        guard allocated > written else { return false }
        // If this fails, the space stays with the file, which does no harm.
        do { try retrying(file.truncate(to: written)) } catch {
            return false
        }
        (allocated, allowed, step) = (written, written, Self.firstStep)
        return true
    }

    private func appendCopy(_ value: Bytes, padding: Int) {
        buffer[used...].copyMemory(from: value)
        used += value.count
        buffer[used..<used + padding].fill(with: 0)
        used += padding
    }

    /// Writes three pieces in one call: the buffer, whose last bytes are the record's header and key, the value, and
    /// the padding.
    private func appendDirectly(_ value: Bytes, padding: Int) throws(StoreError) {
        let head = buffer[..<used].bytes
        let tail = buffer[used..<used + padding]
        tail.fill(with: 0)
        let offset = written
        try storeErrors(file.writeFully(head, value, tail.bytes, at: offset))
        written += used + value.count + padding
        used = 0
    }

    /// Removes everything after the end of a record, including the remains of a failed append.
    func cut(to end: Int) throws(FileSystemError) {
        try retrying(file.truncate(to: end))
        (written, used, allocated, allowed, step) = (end, 0, end, end, Self.firstStep)
    }

    /// Writes the buffer to the file.
    func flush() throws(StoreError) {
        guard used > 0 else { return }
        let (piece, offset) = (buffer[..<used].bytes, written)
        try storeErrors(file.writeFully(piece, at: offset))
        written += used
        used = 0
    }

    /// Brings all records to stable storage, and releases the disk space that they do not need.
    func sync() throws(StoreError) {
        try flush()
        releaseSpace()
        try storeErrors(file.syncFully())
    }
}
