import Foundation
public import Siltstone
import Synchronization

/// A file system that delays calls at random, so that rare interleavings of threads become frequent.
///
/// Some races need a thread to pause between two steps of a flush while another finishes a compaction. In ordinary use
/// they may take a year to show. Here a thread may pause before and after each call to the file system. Nothing else
/// changes: every call is made once, on the calling thread, and returns its own result. The hints `preallocate` and
/// `beginSync` are passed on without a pause.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.memTableBytes = 64 << 10  // flushes and compactions all the time
/// configuration.logWriting = .written  // each change calls the file system
/// configuration.fileSystem = DelayingFileSystem(InMemoryFileSystem(), seed: 42)
/// let store = try KeyValueStore.open(at: "/store", configuration: configuration)
/// // … the program's own threads and checks
/// ```
///
/// It can wrap any other file system and be wrapped by one. The seed determines the delays of the n-th call, but not
/// the thread that makes it: a seed makes a failure likely to recur, not certain.
///
/// Accesses through a mapping are not calls and are not delayed. Set `access` to `.read` and `logWriting` to `.written`
/// to delay reads and writes.
public final class DelayingFileSystem: FileSystem {
    private let base: any FileSystem
    private let delayer: Delayer

    /// Wraps a file system.
    /// - Parameters:
    ///   - base: the file system below.
    ///   - seed: determines the delays.
    ///   - delays: the frequency and length of the delays.
    public init(_ base: any FileSystem, seed: UInt64, delays: CallDelays = CallDelays()) {
        self.base = base
        delayer = Delayer(DelaySchedule(seed: seed, delays: delays))
    }

    /// The number of sleeps and yields so far.
    public var delayCount: Int { delayer.delayCount }

    /// Opens a file whose calls are also delayed.
    public func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        let file = try delayer.around(.open) { () throws(FileSystemError) in try base.open(path, mode) }
        return DelayingFile(file, delayer)
    }

    /// Creates a directory.
    public func createDirectory(_ path: String) throws(FileSystemError) {
        try delayer.around(.makeDirectory) { () throws(FileSystemError) in try base.createDirectory(path) }
    }

    /// The names of a directory's entries.
    public func entries(of directory: String) throws(FileSystemError) -> [String] {
        try delayer.around(.list) { () throws(FileSystemError) in try base.entries(of: directory) }
    }

    /// The attributes at a path.
    public func attributes(of path: String) throws(FileSystemError) -> FileAttributes? {
        try delayer.around(.look) { () throws(FileSystemError) in try base.attributes(of: path) }
    }

    /// Renames a file.
    public func rename(_ source: String, to destination: String) throws(FileSystemError) {
        try delayer.around(.rename) { () throws(FileSystemError) in try base.rename(source, to: destination) }
    }

    /// Creates a hard link to a file.
    public func link(_ source: String, to destination: String) throws(FileSystemError) {
        try delayer.around(.link) { () throws(FileSystemError) in try base.link(source, to: destination) }
    }

    /// Removes the name of a file.
    public func remove(_ path: String) throws(FileSystemError) {
        try delayer.around(.remove) { () throws(FileSystemError) in try base.remove(path) }
    }

    /// Removes an empty directory.
    public func removeDirectory(_ path: String) throws(FileSystemError) {
        try delayer.around(.remove) { () throws(FileSystemError) in try base.removeDirectory(path) }
    }

    /// Syncs a directory's entries to stable storage.
    public func syncDirectory(_ path: String) throws(FileSystemError) {
        try delayer.around(.syncDirectory) { () throws(FileSystemError) in try base.syncDirectory(path) }
    }

    /// Takes the lock of a file. Its release is also delayed.
    public func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        let lock = try delayer.around(.lock) { () throws(FileSystemError) in
            try base.lock(path, exclusive: exclusive, note: note)
        }
        return DelayingLock(lock, delayer)
    }
}

/// Delays threads.
final class Delayer: Sendable {
    private let schedule: DelaySchedule
    private let calls = Atomic<UInt64>(0)
    private let delays = Atomic(0)

    init(_ schedule: DelaySchedule) { self.schedule = schedule }

    var delayCount: Int { delays.load(ordering: .relaxed) }

    /// Makes a call with a delay before and after it, even if it throws.
    func around<R, E: Error>(_ kind: CallKind, _ call: () throws(E) -> R) throws(E) -> R {
        holdUp(kind)
        defer { holdUp(kind) }
        return try call()
    }

    private func holdUp(_ kind: CallKind) {
        // Relaxed: a stronger order would synchronize threads that the store does not, and would hide its races from
        // ThreadSanitizer.
        switch schedule.delay(kind, number: calls.add(1, ordering: .relaxed).oldValue) {
        case .none: return
        case .yield: sched_yield()
        case .pause(let microseconds): usleep(UInt32(clamping: microseconds))
        }
        delays.add(1, ordering: .relaxed)
    }
}
