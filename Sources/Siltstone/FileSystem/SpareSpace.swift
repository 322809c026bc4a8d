import Synchronization

/// Disk space that writers leave free, so that a store that has filled its disk can still flush, merge and collect what is
/// deleted then.
///
/// A flush writes a segment of about the length of the log, and only then removes the log. So a log grows only while as
/// much space stays free as all logs have reserved. A value file leaves room for the deletes of a full disk too, and for
/// the live values of the smallest value files, from which a collection begins. Background work may use all space. Other
/// programs do not know of this, so the space may be gone when it is needed.
final class SpareSpace: Sendable {
    /// Logs up to this length may take the last space. Otherwise a flush could not begin, because it needs a next log.
    private static let shortLog = 64 << 10
    /// On a large disk, no part of the spare space is larger than this.
    private static let greatestPart = 256 << 20

    private let fileSystem: any FileSystem
    private let path: String
    /// Bytes that all open logs have reserved.
    private let logBytes = Atomic(0)
    /// True while compactions free space, from a write that has met a full disk until none is due. Meanwhile writers leave
    /// an eighth of the disk too, for merges and for the live values of a large value file. Otherwise they would take what
    /// the first compactions have freed, before the next ones can use it.
    let isBeingFreed = Atomic(false)

    /// - Parameter path: the store's directory.
    init(_ fileSystem: any FileSystem, _ path: String) {
        self.fileSystem = fileSystem
        self.path = path
    }

    /// Counts the change of the bytes that a log has reserved.
    func noteLog(_ change: Int) { logBytes.wrappingAdd(change, ordering: .relaxed) }

    /// True if a log may reserve `growth` more bytes, up to the offset `end`.
    func allowsLog(_ growth: Int, upTo end: Int) -> Bool {
        if end <= Self.shortLog { return true }
        guard let space = fileSystem.space(of: path) else { return true }
        return space.available - growth >= logBytes.load(ordering: .relaxed) + growth + keptForMerges(of: space)
            + Self.keptForDeletes(of: space) / 4
    }

    /// True if a writer may append `growth` bytes to a value file.
    func allowsValues(_ growth: Int) -> Bool {
        guard let space = fileSystem.space(of: path) else { return true }
        return space.available - growth >= logBytes.load(ordering: .relaxed) + keptForMerges(of: space)
            + Self.keptForDeletes(of: space)
    }

    /// Bytes that background work may write; `.max` if the system does not tell.
    var available: Int { fileSystem.space(of: path)?.available ?? .max }

    /// Bytes at which a new value file ends. The files become smaller as the disk fills. So whatever part of the values
    /// is deleted on a full disk, the space that a collection frees from the smaller files suffices for the larger ones.
    /// - Parameter most: the size of a file while there is plenty of space.
    func valueFileBytes(atMost most: Int) -> Int {
        guard let space = fileSystem.space(of: path) else { return most }
        return min(most, max(space.available / 8, Self.smallestValueFile(of: space)))
    }

    private func keptForMerges(of space: FileSystemSpace) -> Int {
        isBeingFreed.load(ordering: .relaxed) ? min(space.total / 8, Self.greatestPart) : 0
    }

    private static func smallestValueFile(of space: FileSystemSpace) -> Int {
        min(max(space.total / 256, 64 << 10), greatestPart)
    }

    /// Bytes that value files leave free for the logs of deletes, and logs a quarter of it for what a flush adds.
    private static func keptForDeletes(of space: FileSystemSpace) -> Int {
        max(min(space.total / 32, 4 << 20), smallestValueFile(of: space))
    }
}
