import Synchronization

/// The bytes of a file of an ``InMemoryFileSystem``, independent of its names.
///
/// When a file is created, it reserves address space for the largest possible size. Only accessed pages take memory. So
/// the file grows without moving, and mappings stay valid. Bytes after the end are zero: a thread must not store behind
/// the end of the file through a mapping.
///
/// `@unchecked Sendable`: the address is fixed, and each call holds the lock of ``state``. Threads that access bytes
/// through a mapping must order their accesses themselves, as with any file.
package final class MemoryFileData: @unchecked Sendable {
    private let memory: MutableBytes

    private struct State {
        var size = 0
        /// The owners of the file lock (``lock(exclusive:)``): -1 for one exclusive owner, otherwise the number of
        /// shared owners.
        var lockOwners = 0
    }

    private let state = Locked(State(), rank: .file)

    /// Creates an empty file; nil if there is no address space left. `errno` then has the reason.
    package init?(capacity: Int) {
        guard let memory = Platform.mapAnonymous(length: capacity) else { return nil }
        self.memory = memory
    }

    deinit { Platform.unmap(memory) }

    package var base: UnsafeMutableRawPointer { unsafe memory.start }

    var capacity: Int { memory.count }

    package var size: Int { state.withLock { $0.size } }

    /// Reads up to `buffer.count` bytes; fewer at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        state.withLock { state in
            let count = min(buffer.count, max(0, state.size - offset))
            if count > 0 { unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: base + offset, count: count)) }
            return count
        }
    }

    /// Writes the bytes that fit, and extends the file if needed.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        state.withLock { state in
            let count = min(bytes.count, max(0, capacity - offset))
            if count > 0, let source = bytes.baseAddress {
                unsafe (base + offset).copyMemory(from: source, byteCount: count)
                state.size = max(state.size, offset + count)
            }
            return count
        }
    }

    /// Makes the file `length` bytes long, which must be within the capacity.
    /// - Parameter shrinking: false to leave a longer file unchanged.
    package func resize(to length: Int, shrinking: Bool) {
        state.withLock { state in
            if length < state.size {
                guard shrinking else { return }
                clear(length..<state.size)
            }
            state.size = length
        }
    }

    /// Clears bytes after the end, because they must read as zeros if the file grows again. Pages that are zero already
    /// are not written, so they take no memory.
    private func clear(_ range: Range<Int>) {
        let step = 4096
        for start in stride(from: range.lowerBound, to: range.upperBound, by: step) {
            let bytes = unsafe UnsafeMutableRawBufferPointer(
                start: base + start, count: min(step, range.upperBound - start))
            if unsafe UnsafeRawBufferPointer(bytes).isZero(0..<bytes.count) { continue }
            unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Takes the file lock. Returns false if another owner excludes that.
    package func lock(exclusive: Bool) -> Bool {
        state.withLock { state in
            guard exclusive ? state.lockOwners == 0 : state.lockOwners >= 0 else { return false }
            state.lockOwners += exclusive ? -1 : 1
            return true
        }
    }

    package func unlock(exclusive: Bool) {
        state.withLock { $0.lockOwners += exclusive ? 1 : -1 }
    }
}

/// An open file of an ``InMemoryFileSystem``.
package final class MemoryFile: File {
    package let path: String
    private let data: MemoryFileData
    private let isWritable: Bool
    private let isClosed = Atomic(false)

    package init(path: String, data: MemoryFileData, isWritable: Bool) {
        self.path = path
        self.data = data
        self.isWritable = isWritable
    }

    /// Throws the errors of the operating system: if the file is closed, if it is only open for reading and `writing`
    /// is true, or if the range is not valid.
    private func check(
        _ operation: String, writing: Bool = false, offset: Int = 0, length: Int = 0
    ) throws(FileSystemError) {
        var code: Int32?
        if isClosed.load(ordering: .relaxed) || (writing && !isWritable) {
            code = Platform.badDescriptor
        } else if offset < 0 || length < 0 {
            code = Platform.invalidArgument
        } else if writing, offset > data.capacity || length > data.capacity - offset {
            code = Platform.noSpaceError
        }
        if let code { throw FileSystemError(operation, path: path, errorNumber: code, offset: offset) }
    }

    package func size() throws(FileSystemError) -> Int {
        try check("stat")
        return data.size
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try check("read", offset: offset)
        return unsafe data.read(into: buffer, at: offset)
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        // At least one byte must fit; as many of the others as fit are written.
        try check("write", writing: true, offset: offset, length: min(bytes.count, 1))
        return unsafe data.write(bytes, at: offset)
    }

    package func reserve(offset: Int, length: Int) throws(FileSystemError) {
        try check("reserve", writing: true, offset: offset, length: length)
        data.resize(to: offset + length, shrinking: false)
    }

    package func truncate(to length: Int) throws(FileSystemError) {
        try check("truncate", writing: true, offset: length)
        data.resize(to: length, shrinking: true)
    }

    package func sync() throws(FileSystemError) { try check("sync") }

    package func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        try check("map")
        if length < 0 { throw FileSystemError("map", path: path, errorNumber: Platform.invalidArgument) }
        if writable && !isWritable { throw FileSystemError("map", path: path, errorNumber: Platform.accessDenied) }
        if length > data.capacity { throw FileSystemError("map", path: path, errorNumber: Platform.outOfMemory) }
        return MemoryMapping(data, length: length)
    }

    package func close() throws(FileSystemError) { isClosed.store(true, ordering: .relaxed) }
}

/// A mapping of a file of an ``InMemoryFileSystem``: the file's own bytes.
///
/// `@unchecked Sendable`: as for any mapping, the owner decides which thread may access which bytes when.
@safe
private final class MemoryMapping: FileMapping, @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    /// Keeps the bytes valid.
    private let data: MemoryFileData

    init(_ data: MemoryFileData, length: Int) {
        self.data = data
        unsafe bytes = unsafe UnsafeMutableRawBufferPointer(start: data.base, count: length)
    }

    func prepareForWriting(offset: Int, length: Int) {
        if let pages = pages(offset, length) { Platform.advise(.populateForWriting, pages) }
    }
}
