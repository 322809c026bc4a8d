/// One call on a ``FaultInjectingFileSystem``, or on one of its files and locks.
public struct FileSystemCall: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a call.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// Opening an existing file.
        case open
        /// Opening a new file.
        case create
        /// Creating a directory.
        case createDirectory = "create directory"
        /// Listing a directory.
        case readDirectory = "read directory"
        /// Reading the attributes at a path.
        case attributes
        /// Renaming a file.
        case rename
        /// Creating a hard link.
        case link
        /// Removing the name of a file.
        case remove
        /// Removing an empty directory.
        case removeDirectory = "remove directory"
        /// Syncing a directory's entries to stable storage.
        case syncDirectory = "sync directory"
        /// Taking a lock.
        case lock
        /// Releasing a lock. It cannot fail; its faults are ignored.
        case unlock
        /// Reading the size of an open file.
        case size
        /// One read.
        case read
        /// One write.
        case write
        /// Reserving disk space.
        case reserve
        /// Shortening or extending a file.
        case truncate
        /// Syncing a file to stable storage.
        case sync
        /// Mapping a file. Later stores through the mapping make no call and meet no fault.
        case map
        /// Closing a file.
        case close

        /// The call's name in a `FileSystemError`, as in those of the operating system's files.
        var errorName: String {
            switch self {
            case .create: Self.open.rawValue
            case .attributes, .size: "stat"
            default: rawValue
            }
        }
    }

    /// The kind of the call.
    public var operation: Operation
    /// The file or directory; the source of a rename or link.
    public var path: String
    /// The new name in a rename or link.
    public var destination: String?
    /// The offset in the file, in bytes; the new length for ``Operation/truncate``; otherwise 0.
    public var offset = 0
    /// The requested number of bytes; 0 if not applicable.
    public var length = 0
    /// The number of earlier calls.
    public var number = 0

    /// Creates a call.
    public init(_ operation: Operation, _ path: String, destination: String? = nil, offset: Int = 0, length: Int = 0) {
        self.operation = operation
        self.path = path
        self.destination = destination
        self.offset = offset
        self.length = length
    }

    /// Number, operation, path and offset, in one line.
    public var description: String {
        var text = "#\(number) \(operation.rawValue) \(path)"
        if let destination { text += " to \(destination)" }
        if length > 0 || offset > 0 { text += " at \(offset)" }
        if length > 0 { text += ", \(length) bytes" }
        return text
    }
}
