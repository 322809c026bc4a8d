/// The file system as the engine uses it. It is one protocol, so that a test can replace the real disk with one of its
/// own, and crash it at every call.
///
/// Each requirement is one system call, with its partial results and interruptions. The loops around the calls are in
/// extensions, so the same tests cover them.
public protocol FileSystem: Sendable {
    /// Opens a file.
    /// - Throws: ``FileSystemError``; its error number is `ENOENT` if the file is missing, `EEXIST` if it must not
    ///   exist and does.
    func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File

    /// Creates a directory, whose parent must exist.
    func createDirectory(_ path: String) throws(FileSystemError)

    /// Returns the names of a directory's entries, in no order.
    func entries(of directory: String) throws(FileSystemError) -> [String]

    /// Returns the attributes of the file or directory at a path; nil if there is none.
    func attributes(of path: String) throws(FileSystemError) -> FileAttributes?

    /// Renames a file in the same file system, and replaces a file that has the new name. Durable after
    /// ``syncDirectory(_:)``.
    func rename(_ source: String, to destination: String) throws(FileSystemError)

    /// Gives a file a second name, which must be free.
    func link(_ source: String, to destination: String) throws(FileSystemError)

    /// Removes a file's name. An open or mapped file stays readable.
    func remove(_ path: String) throws(FileSystemError)

    /// Removes an empty directory.
    func removeDirectory(_ path: String) throws(FileSystemError)

    /// Brings a directory's entries, which are the names of its files, to stable storage.
    func syncDirectory(_ path: String) throws(FileSystemError)

    /// Takes the lock of a file. Creates the file if it is missing and the lock is exclusive. Never waits.
    /// - Parameters:
    ///   - path: the file.
    ///   - exclusive: true to exclude all other owners; false, for readers, to exclude only exclusive owners.
    ///   - note: text that an exclusive owner writes into the file, for others who find it locked.
    /// - Throws: an error with ``FileSystemError/isLocked`` if another owner has the lock.
    func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock

    /// Returns a view of this file system that holds a directory open. The view finds the files in the directory through
    /// the open directory and not by its path. So they stay the files of one directory, even if it is moved or removed,
    /// and another one takes its path. All other paths mean the same as before.
    ///
    /// By default, returns this file system, which is right if nobody else moves its directories.
    func holding(_ directory: String) throws(FileSystemError) -> any FileSystem

    /// Returns false if the path of a directory that this view holds leads to another one, or nowhere. True also if the
    /// system does not tell, and by default.
    func isInPlace() -> Bool

    /// Returns the size of the disk that holds a directory; nil if the system does not tell, and by default.
    func space(of directory: String) -> FileSystemSpace?
}

extension FileSystem {
    /// Returns nil: not known.
    public func space(of directory: String) -> FileSystemSpace? { nil }

    /// Returns this file system, which finds all files by their paths.
    public func holding(_ directory: String) throws(FileSystemError) -> any FileSystem { self }

    /// Returns true, because no directory is held.
    public func isInPlace() -> Bool { true }
}

/// The mode in which a file is opened.
public enum FileOpenMode: Sendable, Hashable {
    /// For reading; the file must exist.
    case read
    /// For reading and writing; the file must exist.
    case readWrite
    /// For reading and writing; creates the file, which must not exist.
    case createNew
}

/// The size of a disk.
public struct FileSystemSpace: Sendable, Hashable {
    /// Bytes of the disk.
    public var total: Int
    /// Bytes that this process may still write.
    public var available: Int

    /// Creates the size of a disk.
    public init(total: Int, available: Int) {
        self.total = total
        self.available = available
    }
}

/// The attributes of a file or directory.
public struct FileAttributes: Sendable, Hashable {
    /// Bytes of a file.
    public var size: Int
    /// True for a directory.
    public var isDirectory: Bool

    /// Creates attributes.
    public init(size: Int, isDirectory: Bool) {
        self.size = size
        self.isDirectory = isDirectory
    }
}

/// An open file. Closed by ``close()``, or with the last reference.
public protocol File: AnyObject, Sendable {
    /// The path that the file was opened with.
    var path: String { get }

    /// Returns the bytes of the file.
    func size() throws(FileSystemError) -> Int

    /// Reads once: at most `buffer.count` bytes, perhaps fewer; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int

    /// Writes once: at least one byte, perhaps not all. Extends the file if needed.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int

    /// Writes three pieces once that are consecutive in the file, but not in memory: at least one byte, perhaps not
    /// all.
    func write(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer, at offset: Int
    ) throws(FileSystemError) -> Int

    /// Reserves disk space for `[offset, offset + length)`, so that writing there cannot fail with a full disk. Makes
    /// the file at least that long; new bytes are zero.
    /// - Throws: an error with ``FileSystemError/isUnsupported`` if the file system cannot reserve space.
    func reserve(offset: Int, length: Int) throws(FileSystemError)

    /// Preallocates disk space after the end of the file without making it longer, so that later writes are faster. A
    /// hint, which guarantees nothing. ``truncate(to:)`` releases the space that is not used.
    func preallocate(offset: Int, length: Int)

    /// Cuts the file to `length` bytes, or extends it with zeros.
    func truncate(to length: Int) throws(FileSystemError)

    /// Brings the file's bytes and length to stable storage. It does not cover the file's name: see
    /// ``FileSystem/syncDirectory(_:)``.
    func sync() throws(FileSystemError)

    /// Starts bringing a range to stable storage, so that the next ``sync()`` waits less. A hint: it guarantees
    /// nothing, does not wait, and leaves every error to that sync.
    func beginSync(offset: Int, length: Int)

    /// Maps the file's first `length` bytes. They may extend past its end, if nobody accesses those bytes before the
    /// file has grown that far. The mapping also shows later writes to the file.
    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping

    /// Closes the file. Its mappings stay valid.
    func close() throws(FileSystemError)
}

extension File {
    /// Writes the first piece that is not empty.
    public func write(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer, at offset: Int
    ) throws(FileSystemError) -> Int {
        try unsafe write(!head.isEmpty ? head : !body.isEmpty ? body : tail, at: offset)
    }

    /// Does nothing, because the writes allocate the space.
    public func preallocate(offset: Int, length: Int) {}

    /// Does nothing, because the next ``sync()`` writes everything.
    public func beginSync(offset: Int, length: Int) {}
}

extension File {
    /// Reads once, into the engine's type.
    func readOnce(into bytes: MutableBytes, at offset: Int) throws(FileSystemError) -> Int {
        try unsafe read(into: bytes.buffer, at: offset)
    }

    /// Writes once, from the engine's type.
    func writeOnce(_ bytes: Bytes, at offset: Int) throws(FileSystemError) -> Int {
        try unsafe write(bytes.buffer, at: offset)
    }

    /// Writes three pieces once, from the engine's type.
    func writeOnce(_ head: Bytes, _ body: Bytes, _ tail: Bytes, at offset: Int) throws(FileSystemError) -> Int {
        try unsafe write(head.buffer, body.buffer, tail.buffer, at: offset)
    }
}

extension FileMapping {
    /// The bytes, in the engine's type.
    var memory: MutableBytes { unsafe MutableBytes(bytes) }

    /// Extends a range down to the start of its first page, which `madvise` requires; nil if the range is empty or
    /// outside of the mapping.
    func pages(_ offset: Int, _ length: Int) -> MutableBytes? {
        let memory = memory
        guard offset >= 0, length > 0, offset <= memory.count - length else { return nil }
        return memory[(offset & ~(Platform.pageSize - 1))..<offset + length]
    }
}

/// A mapping of a file into memory. Its bytes are valid as long as the mapping is referenced.
public protocol FileMapping: AnyObject, Sendable {
    /// The bytes. They may be written only in a writable mapping.
    var bytes: UnsafeMutableRawBufferPointer { get }

    /// Prefaults the pages of a range for writing, so that stores there do not wait. A hint.
    func prepareForWriting(offset: Int, length: Int)

    /// Prefaults the pages of a range for reading, so that loads there do not wait. A hint.
    func prepareForReading(offset: Int, length: Int)

    /// Announces reads of a range in no order. A missing page is then read alone, and not with megabytes around it. A
    /// hint.
    func expectRandomReads(offset: Int, length: Int)

    /// Starts reading a range from the disk into memory, and does not wait for it. A hint.
    func beginReading(offset: Int, length: Int)

    /// Returns true if a range is in memory. A snapshot: the system may load or drop pages at any time.
    func isInMemory(offset: Int, length: Int) -> Bool

    /// Bytes of the mapping that are in memory.
    var bytesInMemory: Int { get }
}

extension FileMapping {
    /// Does nothing, because the reads fault the pages in.
    public func prepareForReading(offset: Int, length: Int) {}

    /// Does nothing, because reads cost the same in any order.
    public func expectRandomReads(offset: Int, length: Int) {}

    /// Does nothing, because the reads fault the pages in.
    public func beginReading(offset: Int, length: Int) {}

    /// Returns true, because no read waits for a disk.
    public func isInMemory(offset: Int, length: Int) -> Bool { true }

    /// All bytes of the mapping.
    public var bytesInMemory: Int { unsafe bytes.count }
}

/// The lock of a file. It is held until ``release()``, the end of the last reference or the end of the process.
public protocol FileLock: AnyObject, Sendable {
    /// Releases the lock.
    func release()

    /// Returns false if the path of the lock leads to another file than the locked one, or nowhere. True also if the
    /// system does not tell, and by default.
    func isInPlace() -> Bool
}

extension FileLock {
    /// Returns true, for a file system in which nobody else moves files.
    public func isInPlace() -> Bool { true }
}
