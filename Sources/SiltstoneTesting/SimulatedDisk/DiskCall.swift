/// A call that may change the disk, before it is made.
public struct DiskCall: Sendable, Hashable {
    /// The kind of the call.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        case create, createDirectory, rename, link, remove, removeDirectory, syncDirectory
        case write, reserve, truncate, sync, lock
    }

    /// The kind of the call.
    public var operation: Operation
    /// The file or directory; the new name in a rename or link.
    public var path: String
    /// The number of earlier calls that may change the disk.
    public var number: Int
}
