/// A call that changes what is on a disk, or may do so, and is about to be made.
public struct DiskCall: Sendable, Hashable {
    /// What is called.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        case create, createDirectory, rename, link, remove, removeDirectory, syncDirectory
        case write, reserve, truncate, sync, lock
    }

    /// What is called.
    public var operation: Operation
    /// The file or directory; of two names the new one.
    public var path: String
    /// How many calls that change the disk came before it.
    public var number: Int
}
