/// A call that may change the disk, before it is made.
public struct DiskCall: Sendable, Hashable {
    /// The kind of the call.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// Creates a file.
        case create
        /// Creates a directory.
        case createDirectory
        /// Renames a file or a directory.
        case rename
        /// Makes a hard link.
        case link
        /// Removes a file.
        case remove
        /// Removes an empty directory.
        case removeDirectory
        /// Makes the entries of a directory durable.
        case syncDirectory
        /// Writes bytes of a file, by a call or through a mapping.
        case write
        /// Reserves space for a file.
        case reserve
        /// Changes the length of a file.
        case truncate
        /// Makes the bytes and the length of a file durable.
        case sync
        /// Takes the lock of a file, which may create the file.
        case lock
    }

    /// The kind of the call.
    public var operation: Operation
    /// The file or directory; the new name in a rename or link.
    public var path: String
    /// The number of earlier calls that may change the disk.
    public var number: Int
}
