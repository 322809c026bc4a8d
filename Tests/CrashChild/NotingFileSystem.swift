import Dispatch
import Siltstone

// Dispatch's overlay leaves this function out; with a null pointer it tells the name of the current queue.
@_silgen_name("dispatch_queue_get_label")
private func dispatchQueueLabel(_ queue: OpaquePointer?) -> UnsafePointer<CChar>

/// The operating system's files, with notes in the journal of what the store is just doing with them: the parent aims at
/// these moments, and counts which it has hit.
struct NotingFileSystem: FileSystem {
    private let base = POSIXFileSystem()
    let journal: CrashJournal

    /// The background work that the calling thread does for the store, by the name of the queue.
    static var activity: CrashJournal.Activity? {
        switch unsafe String(cString: dispatchQueueLabel(nil)) {
        case "siltstone.flush": .flush
        case "siltstone.compaction": .compaction
        default: nil
        }
    }

    func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        journal.noteCall()
        // From its first segment on. It ends when the edit that puts the result in force is durable.
        if mode == .createNew, path.hasSuffix(".segment"), let activity = Self.activity { journal.begin(activity) }
        let file = try base.open(path, mode)
        return path.hasSuffix(".manifest") && mode != .read ? NotingManifest(base: file, journal: journal) : file
    }

    func createDirectory(_ path: String) throws(FileSystemError) {
        journal.noteCall()
        try base.createDirectory(path)
    }

    func entries(of directory: String) throws(FileSystemError) -> [String] {
        journal.noteCall()
        return try base.entries(of: directory)
    }

    func attributes(of path: String) throws(FileSystemError) -> FileAttributes? {
        journal.noteCall()
        return try base.attributes(of: path)
    }

    func rename(_ source: String, to destination: String) throws(FileSystemError) {
        journal.noteCall()
        try base.rename(source, to: destination)
    }

    func link(_ source: String, to destination: String) throws(FileSystemError) {
        journal.noteCall()
        try base.link(source, to: destination)
    }

    func remove(_ path: String) throws(FileSystemError) {
        journal.noteCall()
        try base.remove(path)
    }

    func removeDirectory(_ path: String) throws(FileSystemError) {
        journal.noteCall()
        try base.removeDirectory(path)
    }

    func syncDirectory(_ path: String) throws(FileSystemError) {
        journal.noteCall()
        try base.syncDirectory(path)
    }

    func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        journal.noteCall()
        return try base.lock(path, exclusive: exclusive, note: note)
    }
}

/// A manifest: a flush or a compaction ends with its sync.
private final class NotingManifest: File {
    private let base: any File
    private let journal: CrashJournal

    init(base: any File, journal: CrashJournal) {
        self.base = base
        self.journal = journal
    }

    var path: String { base.path }

    func size() throws(FileSystemError) -> Int { try base.size() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try unsafe base.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try unsafe base.write(bytes, at: offset)
    }

    func reserve(offset: Int, length: Int) throws(FileSystemError) { try base.reserve(offset: offset, length: length) }

    func preallocate(offset: Int, length: Int) { base.preallocate(offset: offset, length: length) }

    func truncate(to length: Int) throws(FileSystemError) { try base.truncate(to: length) }

    func sync() throws(FileSystemError) {
        try base.sync()
        if let activity = NotingFileSystem.activity { journal.end(activity) }
    }

    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        try base.map(length: length, writable: writable)
    }

    func close() throws(FileSystemError) { try base.close() }
}
