/// One call on a ``FaultInjectingFileSystem``, or on one of its files and locks.
public struct FileSystemCall: Sendable, Hashable, CustomStringConvertible {
    /// What is asked of the file system.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// Opening a file that exists.
        case open
        /// Opening a file that is made.
        case create
        /// Making a directory.
        case createDirectory = "create directory"
        /// Listing a directory.
        case readDirectory = "read directory"
        /// Asking what is at a path.
        case attributes
        /// Renaming a file.
        case rename
        /// Giving a file a second name.
        case link
        /// Removing a file's name.
        case remove
        /// Removing an empty directory.
        case removeDirectory = "remove directory"
        /// Bringing a directory's entries to stable storage.
        case syncDirectory = "sync directory"
        /// Taking a lock.
        case lock
        /// Giving a lock up. It cannot fail; a fault for it is ignored.
        case unlock
        /// Asking for the size of an open file.
        case size
        /// Reading once.
        case read
        /// Writing once.
        case write
        /// Taking disk space.
        case reserve
        /// Cutting or lengthening a file.
        case truncate
        /// Bringing a file to stable storage.
        case sync
        /// Mapping a file. What is then stored through the mapping makes no call, and so meets no fault.
        case map
        /// Closing a file.
        case close

        /// The call's name in a `FileSystemError`: that of the operating system's files.
        var errorName: String {
            switch self {
            case .create: Self.open.rawValue
            case .attributes, .size: "stat"
            default: rawValue
            }
        }
    }

    /// What is asked.
    public var operation: Operation
    /// The file or directory; of a renaming and of a link the source.
    public var path: String
    /// The new name, of a renaming and of a link.
    public var destination: String?
    /// Where in the file, in bytes; for ``Operation/truncate`` the new length. 0 where that makes no sense.
    public var offset = 0
    /// Bytes asked for; 0 where that makes no sense.
    public var length = 0
    /// How many calls came before it.
    public var number = 0

    /// Creates a call.
    public init(_ operation: Operation, _ path: String, destination: String? = nil, offset: Int = 0, length: Int = 0) {
        self.operation = operation
        self.path = path
        self.destination = destination
        self.offset = offset
        self.length = length
    }

    /// Number, operation, path and place in one line.
    public var description: String {
        var text = "#\(number) \(operation.rawValue) \(path)"
        if let destination { text += " to \(destination)" }
        if length > 0 || offset > 0 { text += " at \(offset)" }
        if length > 0 { text += ", \(length) bytes" }
        return text
    }
}
