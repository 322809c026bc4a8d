public import Siltstone

/// A file system that counts and logs the calls on another one. A rule decides which of them fail, and how.
///
/// A program can test its behaviour when the disk is full, or fails, at the worst moment:
///
/// ```swift
/// let files = FaultInjectingFileSystem()
/// var configuration = Configuration()
/// configuration.fileSystem = files
/// let store = try KeyValueStore.open(at: "/store", configuration: configuration)
/// files.setRule(FaultRule { $0.operation == .write || $0.operation == .reserve ? .noSpace : nil })
/// // … what does the program do now?
/// files.setRule(.none)  // there is room again
/// ```
///
/// To fail each call in turn, see ``FaultRule/from(_:times:where:_:)``. A write of three pieces is one call for each
/// piece, so that each meets the rule. Hints, such as preallocation, are passed on and do not count. Stores through a mapping make no call. Set
/// `logWriting = .written` and `access = .read` so that each write meets the rule.
public final class FaultInjectingFileSystem: FileSystem {
    private let base: any FileSystem
    let calls: FaultInjector

    /// Wraps a file system. No call meets a fault until a rule is set.
    /// - Parameters:
    ///   - base: the file system below.
    ///   - keepsLog: whether to keep ``log``, which grows with every call.
    public init(_ base: any FileSystem = InMemoryFileSystem(), keepsLog: Bool = true) {
        self.base = base
        calls = FaultInjector(keepsLog: keepsLog)
    }

    // MARK: Rule and log

    /// Sets the rule for later calls.
    public func setRule(_ rule: FaultRule) { calls.setRule(rule) }

    /// Sets a rule for later calls; `decide` returns nil to let a call succeed.
    public func setRule(_ decide: @escaping @Sendable (FileSystemCall) -> Fault?) { setRule(FaultRule(decide)) }

    /// The number of calls so far.
    public var callCount: Int { calls.count }

    /// The calls so far, in order; empty if the log is not kept.
    public var log: [FileSystemCall] { calls.log }

    /// The calls that met a fault, in order, with their faults.
    public var faults: [(call: FileSystemCall, fault: Fault)] { calls.faults }

    /// The paths of open files, mappings and locks. Any that remain after everything was closed are leaks.
    public var held: [String] { calls.held }

    // MARK: FileSystem

    /// Opens a file, as `FileSystem` describes.
    public func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        let call = FileSystemCall(mode == .createNew ? .create : .open, path)
        return try calls.make(call) { () throws(FileSystemError) in
            FaultInjectingFile(try base.open(path, mode), calls)
        }
    }

    /// Creates a directory.
    public func createDirectory(_ path: String) throws(FileSystemError) {
        try calls.make(FileSystemCall(.createDirectory, path)) { () throws(FileSystemError) in
            try base.createDirectory(path)
        }
    }

    /// The names of a directory's entries.
    public func entries(of directory: String) throws(FileSystemError) -> [String] {
        try calls.make(FileSystemCall(.readDirectory, directory)) { () throws(FileSystemError) in
            try base.entries(of: directory)
        }
    }

    /// The attributes at a path; nil if it does not exist.
    public func attributes(of path: String) throws(FileSystemError) -> FileAttributes? {
        try calls.make(FileSystemCall(.attributes, path)) { () throws(FileSystemError) in
            try base.attributes(of: path)
        }
    }

    /// Renames a file.
    public func rename(_ source: String, to destination: String) throws(FileSystemError) {
        try calls.make(FileSystemCall(.rename, source, destination: destination)) { () throws(FileSystemError) in
            try base.rename(source, to: destination)
        }
    }

    /// Creates a hard link to a file.
    public func link(_ source: String, to destination: String) throws(FileSystemError) {
        try calls.make(FileSystemCall(.link, source, destination: destination)) { () throws(FileSystemError) in
            try base.link(source, to: destination)
        }
    }

    /// Removes the name of a file.
    public func remove(_ path: String) throws(FileSystemError) {
        try calls.make(FileSystemCall(.remove, path)) { () throws(FileSystemError) in try base.remove(path) }
    }

    /// Removes an empty directory.
    public func removeDirectory(_ path: String) throws(FileSystemError) {
        try calls.make(FileSystemCall(.removeDirectory, path)) { () throws(FileSystemError) in
            try base.removeDirectory(path)
        }
    }

    /// Syncs a directory's entries to stable storage.
    public func syncDirectory(_ path: String) throws(FileSystemError) {
        try calls.make(FileSystemCall(.syncDirectory, path)) { () throws(FileSystemError) in
            try base.syncDirectory(path)
        }
    }

    /// Takes the lock of a file.
    public func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        try calls.make(FileSystemCall(.lock, path)) { () throws(FileSystemError) in
            FaultInjectingLock(try base.lock(path, exclusive: exclusive, note: note), path, calls)
        }
    }
}
