public import Siltstone

/// A file system that counts the calls on another one, writes them down, and lets a rule decide which of them fail, and
/// how.
///
/// So a program can see what becomes of it when the disk is full, or breaks, at the worst moment:
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
/// To try each call in turn, see ``FaultRule/from(_:times:where:_:)``. Bytes that are stored through a mapping make no call;
/// to have each write meet the rule, set `logWriting = .written` and `access = .read`.
public final class FaultInjectingFileSystem: FileSystem {
    private let base: any FileSystem
    let calls: FaultInjector

    /// Wraps a file system; all calls succeed at first, as far as its own do.
    /// - Parameters:
    ///   - base: does the work.
    ///   - keepsLog: whether to keep ``log``, which grows with every call.
    public init(_ base: any FileSystem = InMemoryFileSystem(), keepsLog: Bool = true) {
        self.base = base
        calls = FaultInjector(keepsLog: keepsLog)
    }

    // MARK: What happens to the calls

    /// Sets which calls from now on meet a fault.
    public func setRule(_ rule: FaultRule) { calls.setRule(rule) }

    /// Sets which calls from now on meet a fault; `decide` returns nil to let a call succeed.
    public func setRule(_ decide: @escaping @Sendable (FileSystemCall) -> Fault?) { setRule(FaultRule(decide)) }

    /// How many calls were made.
    public var callCount: Int { calls.count }

    /// The calls so far, in their order; empty where the log is not kept.
    public var log: [FileSystemCall] { calls.log }

    /// The calls that met a fault, in their order, and which.
    public var faults: [(call: FileSystemCall, fault: Fault)] { calls.faults }

    /// Files, mappings and locks that are held now, by path: what is left when all is closed was leaked.
    public var held: [String] { calls.held }

    // MARK: FileSystem

    /// Opens a file, as `FileSystem` describes.
    public func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        let call = FileSystemCall(mode == .createNew ? .create : .open, path)
        return try calls.make(call) { () throws(FileSystemError) in
            FaultInjectingFile(try base.open(path, mode), calls)
        }
    }

    /// Makes a directory.
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

    /// What is at a path; nil where nothing is.
    public func attributes(of path: String) throws(FileSystemError) -> FileAttributes? {
        try calls.make(FileSystemCall(.attributes, path)) { () throws(FileSystemError) in
            try base.attributes(of: path)
        }
    }

    /// Gives a file another name.
    public func rename(_ source: String, to destination: String) throws(FileSystemError) {
        try calls.make(FileSystemCall(.rename, source, destination: destination)) { () throws(FileSystemError) in
            try base.rename(source, to: destination)
        }
    }

    /// Gives a file a second name.
    public func link(_ source: String, to destination: String) throws(FileSystemError) {
        try calls.make(FileSystemCall(.link, source, destination: destination)) { () throws(FileSystemError) in
            try base.link(source, to: destination)
        }
    }

    /// Removes a file's name.
    public func remove(_ path: String) throws(FileSystemError) {
        try calls.make(FileSystemCall(.remove, path)) { () throws(FileSystemError) in try base.remove(path) }
    }

    /// Removes an empty directory.
    public func removeDirectory(_ path: String) throws(FileSystemError) {
        try calls.make(FileSystemCall(.removeDirectory, path)) { () throws(FileSystemError) in
            try base.removeDirectory(path)
        }
    }

    /// Brings a directory's entries to stable storage.
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
