import CRUDKit
import Foundation
public import Siltstone

/// An in-memory disk that can lose power, with the kernel's weakest guarantees but for those listed below.
///
/// To processes it is an ordinary file system. It also tracks what is on stable storage. ``powerLoss(seed:)`` draws a
/// possible state after a crash at this moment:
///
/// - Of unsynced writes, any subset of sectors of 512 bytes has reached the disk, in any order. A sector that was
///   written several times may have any of its contents, and some sectors are torn. Stores through a mapping count as
///   writes.
/// - A file has any length that it had since its last sync.
/// - Creations, links, renames and removals without a later ``syncDirectory(_:)`` have happened or not, independently.
///   After a rename both names may exist. Syncing a file does not make its name durable.
/// - A failed sync of a file (``failSyncs(where:)``) marks its unwritten data as clean in the kernel: later syncs
///   succeed without writing it, and the next crash loses it.
///
/// None of this changes what readers of a file see, and a removed file stays readable while it is open or mapped. The
/// seed determines the state after a crash.
///
/// A real disk may do worse in five ways, which a test on this one does not show:
///
/// - A failed sync of a file may have written a part of the data. Here none of it reaches the disk.
/// - After a failed sync, the kernel may evict the clean pages. Readers then see the old data, also without a crash.
/// - A failed sync of a directory may lose its changes for good, although later syncs succeed. Here the next successful
///   sync makes them durable. ``Fault/errorAfterwards(_:)`` shows the opposite: a failed sync that made them durable.
/// - Behind the synced length of a file, some file systems leave old data of other files. Here such bytes are zero.
/// - A process that dies within one `pwrite` may leave a part of the write. Here it leaves all of it, or nothing.
///
/// ```swift
/// let disk = SimulatedFileSystem()
/// var configuration = Configuration()
/// configuration.fileSystem = disk
/// let store = try KeyValueStore.open(at: "/store", configuration: configuration)
/// try store.put(key, value)
/// // What the next process finds if power fails now:
/// configuration.fileSystem = SimulatedFileSystem(disk.powerLoss(seed: 1))
/// let survivor = try KeyValueStore.open(at: "/store", configuration: configuration)
/// ```
///
/// Copies of the reference share the disk. Locks belong to handles of this file system, so they end with a crash.
public final class SimulatedFileSystem: FileSystem {
    struct State: Sendable {
        var calls = 0
        var observer: (@Sendable (DiskCall) -> Void)?
        var failsSync: (@Sendable (String) -> Bool)?
    }

    private let greatestFileSize: Int
    private let root = SimulatedDirectory()
    private let guarded = Locked(State())

    /// Creates an empty disk.
    /// - Parameter greatestFileSize: the most bytes of a file. Each file reserves this much address space.
    public init(greatestFileSize: Int = 1 << 30) {
        self.greatestFileSize = max(greatestFileSize, 4096)
    }

    /// Creates a disk from an image, all of it on stable storage.
    /// - Parameters:
    ///   - image: the contents of the disk.
    ///   - greatestFileSize: the most bytes of a file.
    /// - Throws: an error with `ENOMEM` if address space is exhausted, `EFBIG` if a file is too large.
    public convenience init(_ image: DiskImage, greatestFileSize: Int = 1 << 30) throws(FileSystemError) {
        self.init(greatestFileSize: greatestFileSize)
        var files: [ObjectIdentifier: SimulatedInode] = [:]
        try load(image.root, into: root, &files)
    }

    private func load(
        _ entries: [String: DiskImage.Node], into directory: SimulatedDirectory,
        _ files: inout [ObjectIdentifier: SimulatedInode]
    ) throws(FileSystemError) {
        for (name, node) in entries {
            switch node {
            case .directory(let entries):
                let child = SimulatedDirectory()
                try load(entries, into: child, &files)
                directory.load(name, .directory(child))
            case .file(let image):
                if let inode = files[ObjectIdentifier(image)] {
                    directory.load(name, .file(inode))
                    continue
                }
                let inode = try makeInode(image, PathCall("load", name))
                files[ObjectIdentifier(image)] = inode
                directory.load(name, .file(inode))
            }
        }
    }

    private func makeInode(_ image: FileImage, _ call: PathCall) throws(FileSystemError) -> SimulatedInode {
        guard image.size <= greatestFileSize else { throw call.failure(EFBIG) }
        guard let memory = MemoryFileData(capacity: greatestFileSize) else { throw call.failure(ENOMEM) }
        _ = unsafe image.bytes.withUnsafeBytes { unsafe memory.write($0, at: 0) }
        memory.resize(to: image.size, shrinking: false)
        return SimulatedInode(memory: memory, durable: image)
    }

    // MARK: Observing and failing

    /// Calls a closure before each call that may change the disk, on the calling thread. It may draw images, and so
    /// crash the disk at every call.
    public func observe(_ observer: (@Sendable (DiskCall) -> Void)?) {
        guarded.withLock { $0.observer = observer }
    }

    /// Makes the syncs of some files and directories fail with `EIO`. Files lose all data of the failed sync at the
    /// next crash. Directories lose nothing: their changes wait for the next sync.
    /// - Parameter rule: whether the sync of a path fails; nil for none.
    public func failSyncs(where rule: (@Sendable (_ path: String) -> Bool)?) {
        guarded.withLock { $0.failsSync = rule }
    }

    /// The number of calls that may have changed the disk.
    public var callCount: Int { guarded.withLock { $0.calls } }

    /// Counts a call and passes it to the observer.
    func announce(_ operation: DiskCall.Operation, _ path: String) {
        let (observer, number) = guarded.withLock { state in
            state.calls += 1
            return (state.observer, state.calls - 1)
        }
        // Outside of the lock, because the observer may draw an image.
        observer?(DiskCall(operation: operation, path: path, number: number))
    }

    /// Runs `body` exclusively, with the root directory.
    func atomically<R>(_ body: (SimulatedDirectory) throws(FileSystemError) -> R) throws(FileSystemError) -> R {
        try guarded.withLock { _ throws(FileSystemError) in try body(root) }
    }

    /// Runs `body` exclusively.
    func exclusively(_ body: () -> Void) { guarded.withLock { _ in body() } }

    func syncFails(_ path: String) -> Bool { guarded.withLock { $0.failsSync?(path) ?? false } }

    // MARK: Crashes

    /// The contents that another process finds if all processes die now but the machine keeps running: everything. See
    /// ``afterProcessDeath()`` for a disk that may still lose unsynced data.
    public func processDeath() -> DiskImage {
        guarded.withLock { _ in
            var crash = Crash(random: SplitMix64(seed: 0), survival: nil)
            return DiskImage(root: crash.image(of: root))
        }
    }

    /// The disk that the next process finds if all processes die now but the machine keeps running. Unsynced data is
    /// visible but may still be lost.
    /// - Throws: an error with `ENOMEM` if address space is exhausted.
    public func afterProcessDeath() throws(FileSystemError) -> SimulatedFileSystem {
        let next = SimulatedFileSystem(greatestFileSize: greatestFileSize)
        var copy = DiskCopy { () throws(FileSystemError) in
            guard let memory = MemoryFileData(capacity: self.greatestFileSize) else {
                throw FileSystemError("load", path: "/", errorNumber: ENOMEM)
            }
            return memory
        }
        try atomically { root throws(FileSystemError) in try copy.copy(root, to: next.root) }
        copy.connect()
        return next
    }

    /// The contents after a loss of power at this moment.
    /// - Parameter seed: determines what has reached the disk, sometimes nearly everything, sometimes nearly nothing.
    public func powerLoss(seed: UInt64) -> DiskImage {
        var random = SplitMix64(seed: seed)
        let survival = [0, 0.05, 0.3, 0.5, 0.7, 0.95, 1][random.index(7)]
        return powerLoss(&random, survival: survival)
    }

    /// The contents after a loss of power at this moment.
    /// - Parameters:
    ///   - seed: determines what has reached the disk.
    ///   - survival: the probability that an unsynced change has reached the disk, for each change.
    public func powerLoss(seed: UInt64, survival: Double) -> DiskImage {
        var random = SplitMix64(seed: seed)
        return powerLoss(&random, survival: survival)
    }

    private func powerLoss(_ random: inout SplitMix64, survival: Double) -> DiskImage {
        guarded.withLock { _ in
            var crash = Crash(random: random, survival: survival)
            return DiskImage(root: crash.image(of: root))
        }
    }

    // MARK: Names

    /// Opens a file, as `FileSystem` describes.
    public func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        let call = PathCall("open", path)
        if mode == .createNew { announce(.create, path) }
        let inode = try atomically { (root) throws(FileSystemError) -> SimulatedInode in
            switch (try root.find(call), mode) {
            case (.some, .createNew): throw call.failure(EEXIST)
            case (.directory, _): throw call.failure(EISDIR)
            case (.file(let inode), _): return inode
            case (nil, .createNew): return try create(call, in: root)
            case (nil, _): throw call.failure(ENOENT)
            }
        }
        return SimulatedFile(path, inode, isWritable: mode != .read, disk: self)
    }

    private func create(_ call: PathCall, in root: SimulatedDirectory) throws(FileSystemError) -> SimulatedInode {
        let (parent, name) = try root.parent(call)
        let inode = try makeInode(FileImage(), call)
        parent.set(name, .file(inode))
        return inode
    }

    /// Creates a directory, whose parent must exist.
    public func createDirectory(_ path: String) throws(FileSystemError) {
        let call = PathCall("create directory", path)
        announce(.createDirectory, path)
        try atomically { root throws(FileSystemError) in
            if try root.find(call) != nil { throw call.failure(EEXIST) }
            let (parent, name) = try root.parent(call)
            parent.set(name, .directory(SimulatedDirectory()))
        }
    }

    /// The names of a directory's entries, in no order.
    public func entries(of directory: String) throws(FileSystemError) -> [String] {
        let call = PathCall("read directory", directory)
        return try atomically { root throws(FileSystemError) in Array(try root.directory(call).entries.keys) }
    }

    /// The attributes at a path; nil if it does not exist.
    public func attributes(of path: String) throws(FileSystemError) -> FileAttributes? {
        let call = PathCall("stat", path)
        return try atomically { (root) throws(FileSystemError) -> FileAttributes? in
            switch try root.find(call) {
            case .directory: return FileAttributes(size: 0, isDirectory: true)
            case .file(let inode): return FileAttributes(size: inode.memory.size, isDirectory: false)
            case nil: return nil
            }
        }
    }

    /// Renames a file or a directory. Replaces a file or an empty directory at the destination.
    public func rename(_ source: String, to destination: String) throws(FileSystemError) {
        let (call, target) = (PathCall("rename", source), PathCall("rename", destination))
        announce(.rename, destination)
        try atomically { root throws(FileSystemError) in
            guard let node = try root.find(call) else { throw call.failure(ENOENT) }
            let replaced = try root.find(target)
            if let replaced {
                if replaced.isSame(as: node) { return }
                try Self.check(node, mayReplace: replaced, call)
            }
            if case .directory = node, target.names.starts(with: call.names) { throw call.failure(EINVAL) }
            let (newParent, newName) = try root.parent(target)
            let (oldParent, oldName) = try root.parent(call)
            let arrival = newParent.set(newName, node)
            oldParent.set(oldName, nil, after: arrival)
        }
    }

    private static func check(
        _ node: SimulatedNode, mayReplace replaced: SimulatedNode, _ call: PathCall
    ) throws(FileSystemError) {
        switch (node, replaced) {
        case (.file, .file): break
        case (.file, .directory): throw call.failure(EISDIR)
        case (.directory, .file): throw call.failure(ENOTDIR)
        case (.directory, .directory(let directory)):
            if !directory.entries.isEmpty { throw call.failure(ENOTEMPTY) }
        }
    }

    /// Creates a hard link to a file, under a free name.
    public func link(_ source: String, to destination: String) throws(FileSystemError) {
        let (call, target) = (PathCall("link", source), PathCall("link", destination))
        announce(.link, destination)
        try atomically { root throws(FileSystemError) in
            guard let node = try root.find(call) else { throw target.failure(ENOENT) }
            if try root.find(target) != nil { throw target.failure(EEXIST) }
            guard case .file = node else { throw target.failure(EPERM) }
            let (parent, name) = try root.parent(target)
            parent.set(name, node)
        }
    }

    /// Removes the name of a file, which stays readable while it is open or mapped.
    public func remove(_ path: String) throws(FileSystemError) {
        let call = PathCall("remove", path)
        announce(.remove, path)
        try unlink(call) { root throws(FileSystemError) in _ = try root.file(call) }
    }

    /// Removes an empty directory.
    public func removeDirectory(_ path: String) throws(FileSystemError) {
        let call = PathCall("remove directory", path)
        announce(.removeDirectory, path)
        try unlink(call) { root throws(FileSystemError) in
            if try !root.directory(call).entries.isEmpty { throw call.failure(ENOTEMPTY) }
        }
    }

    /// Removes a name after a check.
    private func unlink(
        _ call: PathCall, _ check: (SimulatedDirectory) throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        try atomically { root throws(FileSystemError) in
            try check(root)
            let (parent, name) = try root.parent(call)
            parent.set(name, nil)
        }
    }

    /// Syncs a directory's entries to stable storage.
    public func syncDirectory(_ path: String) throws(FileSystemError) {
        let call = PathCall("sync directory", path)
        announce(.syncDirectory, path)
        if syncFails(path) { throw call.failure(EIO) }
        try atomically { root throws(FileSystemError) in try root.directory(call).sync() }
    }

    /// Takes the lock of a file, which excludes all other handles of this file system.
    public func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        let call = PathCall("lock", path)
        announce(.lock, path)
        let inode = try atomically { (root) throws(FileSystemError) -> SimulatedInode in
            switch try root.find(call) {
            case .file(let inode): return inode
            case .directory: throw call.failure(EISDIR)
            case nil:
                if !exclusive { throw call.failure(ENOENT) }
                return try create(call, in: root)
            }
        }
        return try SimulatedFileLock(inode, exclusive: exclusive, note: note, call, self)
    }
}
