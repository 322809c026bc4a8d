import Synchronization

@testable import Siltstone

/// A file system that dies at one moment: no call from then on changes anything. What it has at this moment is what the
/// death of the process would have left, as long as nobody writes to a mapping.
final class MortalFileSystem: FileSystem {
    private let base: any FileSystem
    /// Files opened before the last death belong to an earlier life.
    private let life = Atomic(0)
    private let isDead = Atomic(false)
    /// Held by each call that changes something: death comes between calls, never within one.
    private let moment = ConditionLock()

    init(_ base: any FileSystem) { self.base = base }

    func die() { moment.withLock { isDead.store(true, ordering: .sequentiallyConsistent) } }

    /// Begins another life on the same files. Those who still hold files of the last one are not heard any more.
    func revive() {
        moment.withLock {
            life.add(1, ordering: .sequentiallyConsistent)
            isDead.store(false, ordering: .sequentiallyConsistent)
        }
    }

    fileprivate var currentLife: Int { life.load(ordering: .sequentiallyConsistent) }

    /// Makes a call that changes something, unless the disk is dead.
    fileprivate func change<R>(
        _ path: String, in life: Int? = nil, _ call: () throws(FileSystemError) -> R
    ) throws(FileSystemError) -> R {
        try moment.withLock { () throws(FileSystemError) in
            if isDead.load(ordering: .relaxed) || life ?? currentLife != currentLife {
                throw FileSystemError("call", path: path, errorNumber: Platform.inputOutputError)
            }
            return try call()
        }
    }

    func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        if mode == .read { return try base.open(path, mode) }
        let file = try change(path) { () throws(FileSystemError) in (try base.open(path, mode), currentLife) }
        return MortalFile(file.0, self, life: file.1)
    }
    func createDirectory(_ path: String) throws(FileSystemError) {
        try change(path) { () throws(FileSystemError) in try base.createDirectory(path) }
    }
    func entries(of directory: String) throws(FileSystemError) -> [String] { try base.entries(of: directory) }
    func attributes(of path: String) throws(FileSystemError) -> FileAttributes? { try base.attributes(of: path) }
    func rename(_ source: String, to destination: String) throws(FileSystemError) {
        try change(source) { () throws(FileSystemError) in try base.rename(source, to: destination) }
    }
    func link(_ source: String, to destination: String) throws(FileSystemError) {
        try change(source) { () throws(FileSystemError) in try base.link(source, to: destination) }
    }
    func remove(_ path: String) throws(FileSystemError) {
        try change(path) { () throws(FileSystemError) in try base.remove(path) }
    }
    func removeDirectory(_ path: String) throws(FileSystemError) {
        try change(path) { () throws(FileSystemError) in try base.removeDirectory(path) }
    }
    func syncDirectory(_ path: String) throws(FileSystemError) {
        try change(path) { () throws(FileSystemError) in try base.syncDirectory(path) }
    }
    func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        try base.lock(path, exclusive: exclusive, note: note)
    }
}

private final class MortalFile: File {
    private let base: any File
    private let owner: MortalFileSystem
    private let life: Int

    init(_ base: any File, _ owner: MortalFileSystem, life: Int) {
        (self.base, self.owner, self.life) = (base, owner, life)
    }

    var path: String { base.path }
    func size() throws(FileSystemError) -> Int { try base.size() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try base.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try owner.change(path, in: life) { () throws(FileSystemError) in try base.write(bytes, at: offset) }
    }
    func reserve(offset: Int, length: Int) throws(FileSystemError) {
        try owner.change(path, in: life) { () throws(FileSystemError) in
            try base.reserve(offset: offset, length: length)
        }
    }
    func truncate(to length: Int) throws(FileSystemError) {
        try owner.change(path, in: life) { () throws(FileSystemError) in try base.truncate(to: length) }
    }
    func sync() throws(FileSystemError) {
        try owner.change(path, in: life) { () throws(FileSystemError) in try base.sync() }
    }
    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        try base.map(length: length, writable: writable)
    }
    func close() throws(FileSystemError) { try base.close() }
}
