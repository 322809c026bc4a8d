import Foundation
public import Siltstone
import Synchronization

/// A file system that delays calls at random, so that rare interleavings of threads come up often.
///
/// A race that needs one thread to stand still between two steps of a flush while another finishes a compaction may
/// take a year of ordinary use to show. Here each call to the file system is a place to stand still, before it and after
/// it. Nothing else changes: every call is made once, on the thread that asked for it, and its result is passed on.
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
/// It composes with any other file system below it or above it. From one seed, the n-th call is always delayed alike;
/// which thread makes the n-th call remains up to the machine, so that a seed makes a failure likely again, not certain.
///
/// What a store does to a mapping is no call, and is not delayed: set `access` to `.read` and `logWriting` to `.written`
/// for delays in the midst of reads and writes.
public final class DelayingFileSystem: FileSystem {
    private let base: any FileSystem
    private let delayer: Delayer

    /// Wraps a file system.
    /// - Parameters:
    ///   - base: makes the calls.
    ///   - seed: decides about the delays.
    ///   - delays: how many and how long they are.
    public init(_ base: any FileSystem, seed: UInt64, delays: CallDelays = CallDelays()) {
        self.base = base
        delayer = Delayer(DelaySchedule(seed: seed, delays: delays))
    }

    /// How often a thread slept or gave way so far.
    public var delayCount: Int { delayer.delayCount }

    /// Opens a file whose calls are delayed too.
    public func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        let file = try delayer.around(.open) { () throws(FileSystemError) in try base.open(path, mode) }
        return DelayingFile(file, delayer)
    }

    /// Makes a directory.
    public func createDirectory(_ path: String) throws(FileSystemError) {
        try delayer.around(.makeDirectory) { () throws(FileSystemError) in try base.createDirectory(path) }
    }

    /// The names of a directory's entries.
    public func entries(of directory: String) throws(FileSystemError) -> [String] {
        try delayer.around(.list) { () throws(FileSystemError) in try base.entries(of: directory) }
    }

    /// What is at a path.
    public func attributes(of path: String) throws(FileSystemError) -> FileAttributes? {
        try delayer.around(.look) { () throws(FileSystemError) in try base.attributes(of: path) }
    }

    /// Gives a file another name.
    public func rename(_ source: String, to destination: String) throws(FileSystemError) {
        try delayer.around(.rename) { () throws(FileSystemError) in try base.rename(source, to: destination) }
    }

    /// Gives a file a second name.
    public func link(_ source: String, to destination: String) throws(FileSystemError) {
        try delayer.around(.link) { () throws(FileSystemError) in try base.link(source, to: destination) }
    }

    /// Removes a file's name.
    public func remove(_ path: String) throws(FileSystemError) {
        try delayer.around(.remove) { () throws(FileSystemError) in try base.remove(path) }
    }

    /// Removes an empty directory.
    public func removeDirectory(_ path: String) throws(FileSystemError) {
        try delayer.around(.remove) { () throws(FileSystemError) in try base.removeDirectory(path) }
    }

    /// Brings a directory's entries to stable storage.
    public func syncDirectory(_ path: String) throws(FileSystemError) {
        try delayer.around(.syncDirectory) { () throws(FileSystemError) in try base.syncDirectory(path) }
    }

    /// Takes the lock of a file, whose release is delayed too.
    public func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        let lock = try delayer.around(.lock) { () throws(FileSystemError) in
            try base.lock(path, exclusive: exclusive, note: note)
        }
        return DelayingLock(lock, delayer)
    }
}

/// Holds threads up.
final class Delayer: Sendable {
    private let schedule: DelaySchedule
    private let calls = Atomic<UInt64>(0)
    private let delays = Atomic(0)

    init(_ schedule: DelaySchedule) { self.schedule = schedule }

    var delayCount: Int { delays.load(ordering: .relaxed) }

    /// Makes a call, with a delay before and after it, whether or not it throws.
    func around<R, E: Error>(_ kind: CallKind, _ call: () throws(E) -> R) throws(E) -> R {
        holdUp(kind)
        defer { holdUp(kind) }
        return try call()
    }

    private func holdUp(_ kind: CallKind) {
        // The counter is relaxed: an order between threads that the store does not make itself would hide its races
        // from the thread sanitizer.
        switch schedule.delay(kind, number: calls.add(1, ordering: .relaxed).oldValue) {
        case .none: return
        case .yield: sched_yield()
        case .pause(let microseconds): usleep(UInt32(clamping: microseconds))
        }
        delays.add(1, ordering: .relaxed)
    }
}
