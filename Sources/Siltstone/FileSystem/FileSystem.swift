/// Everything of the outside world that the engine touches: one protocol, so that a test can put a disk of its own in
/// the place of the real one, and crash it at every call.
///
/// Each requirement is one system call, with its partial results and interruptions; the loops around them are in
/// extensions, and so are attacked by the same tests.
public protocol FileSystem: Sendable {
    /// Opens a file.
    /// - Throws: ``FileSystemError``; its error number is `ENOENT` where the file is missing, `EEXIST` where it must
    ///   not exist and does.
    func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File

    /// Makes a directory, whose parent must exist.
    func createDirectory(_ path: String) throws(FileSystemError)

    /// The names of a directory's entries, in no order.
    func entries(of directory: String) throws(FileSystemError) -> [String]

    /// What is at a path; nil where nothing is.
    func attributes(of path: String) throws(FileSystemError) -> FileAttributes?

    /// Gives a file another name in the same file system, replacing a file that has it. Durable after
    /// ``syncDirectory(_:)``.
    func rename(_ source: String, to destination: String) throws(FileSystemError)

    /// Gives a file a second name, which must be free.
    func link(_ source: String, to destination: String) throws(FileSystemError)

    /// Removes a file's name. What is open or mapped stays readable.
    func remove(_ path: String) throws(FileSystemError)

    /// Removes an empty directory.
    func removeDirectory(_ path: String) throws(FileSystemError)

    /// Brings a directory's entries to stable storage.
    func syncDirectory(_ path: String) throws(FileSystemError)

    /// Takes the lock of a file, which is made where it is missing and the lock is exclusive. Never waits.
    /// - Parameters:
    ///   - path: the file.
    ///   - exclusive: whether to keep out everyone, or, for readers, only exclusive owners.
    ///   - note: text that is written into the file by an exclusive owner, for whoever finds it locked.
    /// - Throws: an error for which ``FileSystemError/isLocked`` holds where another has it.
    func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock
}

/// How a file is opened.
public enum FileOpenMode: Sendable, Hashable {
    /// For reading; it must exist.
    case read
    /// For reading and writing; it must exist.
    case readWrite
    /// For reading and writing; it must not exist, and is made.
    case createNew
}

/// What is at a path.
public struct FileAttributes: Sendable, Hashable {
    /// Bytes of a file.
    public var size: Int
    /// Whether it is a directory.
    public var isDirectory: Bool

    /// Creates attributes.
    public init(size: Int, isDirectory: Bool) {
        self.size = size
        self.isDirectory = isDirectory
    }
}

/// An open file. Closed by ``close()``, or when the last reference goes.
public protocol File: AnyObject, Sendable {
    /// The path that it was opened by.
    var path: String { get }

    /// Bytes of the file.
    func size() throws(FileSystemError) -> Int

    /// Reads once: at most `buffer.count` bytes, perhaps fewer; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int

    /// Writes once: at least one byte, perhaps not all. Grows the file where needed.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int

    /// Writes once what follows each other in the file, and not in memory: at least one byte, perhaps not all.
    func write(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer, at offset: Int
    ) throws(FileSystemError) -> Int

    /// Takes disk space for `[offset, offset + length)`, so that writing there cannot fail for want of it, and makes
    /// the file at least that long; new bytes are zero.
    /// - Throws: an error for which ``FileSystemError/isUnsupported`` holds where the file system cannot do that.
    func reserve(offset: Int, length: Int) throws(FileSystemError)

    /// Takes disk space behind the end of the file for writes to come, without making it longer, so that they are faster. A
    /// hint: it promises nothing. ``truncate(to:)`` gives back what is not used.
    func preallocate(offset: Int, length: Int)

    /// Cuts the file, or lengthens it with zeros.
    func truncate(to length: Int) throws(FileSystemError)

    /// Brings the file's bytes and length to stable storage. Not its name: see ``FileSystem/syncDirectory(_:)``.
    func sync() throws(FileSystemError)

    /// Has the system begin to bring a range to stable storage, so that the next ``sync()`` has less to wait for. A hint:
    /// it promises nothing, waits for nothing, and leaves every error to that sync.
    func beginSync(offset: Int, length: Int)

    /// Maps the file's first `length` bytes, which may reach past its end if nobody touches what lies there before the file has
    /// grown so far. What is written to the file later is seen in the mapping, too.
    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping

    /// Closes the file. Mappings stay.
    func close() throws(FileSystemError)
}

extension File {
    /// Writes the first piece that there is.
    public func write(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer, at offset: Int
    ) throws(FileSystemError) -> Int {
        try unsafe write(!head.isEmpty ? head : !body.isEmpty ? body : tail, at: offset)
    }

    /// Leaves it to the writes.
    public func preallocate(offset: Int, length: Int) {}

    /// Leaves all of it to the next ``sync()``.
    public func beginSync(offset: Int, length: Int) {}
}

extension FileMapping {
    /// The bytes, as the engine handles them.
    var memory: MutableBytes { unsafe MutableBytes(bytes) }
}

/// A file's bytes in memory, for as long as the mapping is referred to.
public protocol FileMapping: AnyObject, Sendable {
    /// The bytes. To be written only where the mapping is writable.
    var bytes: UnsafeMutableRawBufferPointer { get }

    /// Prepares the pages of a range for writing, so that writing there does not have to wait. A hint.
    func prepareForWriting(offset: Int, length: Int)

    /// Prepares the pages of a range for reading, so that reading there does not have to wait. A hint.
    func prepareForReading(offset: Int, length: Int)

    /// Announces reads of a range in no order: a page that is missing is then read alone, and not with megabytes around
    /// it. A hint.
    func expectRandomReads(offset: Int, length: Int)

    /// Starts to read a range from the disk into memory, and does not wait for it. A hint.
    func beginReading(offset: Int, length: Int)

    /// Whether a read of a range is served from memory. A snapshot: pages may come and go at any time.
    func isInMemory(offset: Int, length: Int) -> Bool

    /// Bytes of the mapping that are in memory.
    var bytesInMemory: Int { get }
}

extension FileMapping {
    /// Leaves it to whoever reads.
    public func prepareForReading(offset: Int, length: Int) {}

    /// Reads cost the same in any order.
    public func expectRandomReads(offset: Int, length: Int) {}

    /// Leaves it to whoever reads.
    public func beginReading(offset: Int, length: Int) {}

    /// No read waits for a disk.
    public func isInMemory(offset: Int, length: Int) -> Bool { true }

    /// All of them.
    public var bytesInMemory: Int { unsafe bytes.count }
}

/// The lock of a file, held until ``release()``, or until the last reference goes or the process dies.
public protocol FileLock: AnyObject, Sendable {
    /// Gives the lock up.
    func release()
}
